package android.net;

/** API 21. */
public class Network {}
