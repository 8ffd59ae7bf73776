raise RuntimeError("the licence server is on holiday")
