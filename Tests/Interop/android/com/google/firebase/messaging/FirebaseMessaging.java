package com.google.firebase.messaging;

/** For the classes of docs/apps.md. */
public class FirebaseMessaging {
  /** Of Google Play services. */
  public interface Task<Value> {
    Task<Value> addOnSuccessListener(OnSuccessListener<Value> listener);
  }

  public interface OnSuccessListener<Value> {
    void onSuccess(Value value);
  }

  public static FirebaseMessaging getInstance() { return null; }

  public Task<String> getToken() { return null; }
}
