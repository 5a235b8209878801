importScripts("https://push.example.com/web/worker.js");
