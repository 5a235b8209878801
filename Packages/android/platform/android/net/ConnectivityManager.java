package android.net;

public class ConnectivityManager {
  public NetworkCallback watching;

  public static class NetworkCallback {
    public void onAvailable(Network network) {}
  }

  /** API 24. */
  public void registerDefaultNetworkCallback(NetworkCallback callback) {
    watching = callback;
  }
}
