package com.google.firebase.messaging;

/** For the classes of docs/apps.md. */
public abstract class FirebaseMessagingService {
  public void onNewToken(String token) {}

  public void onMessageReceived(RemoteMessage message) {}
}
