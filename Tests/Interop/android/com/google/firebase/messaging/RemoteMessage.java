package com.google.firebase.messaging;

import java.util.Map;

/** For the classes of docs/apps.md. */
public class RemoteMessage {
  public String getMessageId() { return null; }

  public Map<String, String> getData() { return null; }
}
