//! What is about one process and its files, and so is not told of two hubs on one database. Everything
//! else is in the suite and runs on both grounds; whoever puts a test here says why.

mod files;
