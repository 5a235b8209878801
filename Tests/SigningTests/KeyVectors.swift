/// Keys for tests: the published ones of RFC 7515, and throw-away ones of every kind a person may hand in by mistake.
enum KeyVectors {
  /// RFC 7515 appendix A.3.1, the JWK written as PKCS#8.
  static let rfc7515EC = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
    H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
    7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
    -----END PRIVATE KEY-----
    """

  /// The same key in SEC 1 form.
  static let rfc7515ECTraditional = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
    AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
    focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
    -----END EC PRIVATE KEY-----
    """

  /// Its public half.
  static let rfc7515ECPublic = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
    6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
    -----END PUBLIC KEY-----
    """

  /// RFC 7515 appendix A.2.1, the JWK written as PKCS#8.
  static let rfc7515RSA = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
    jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
    aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
    juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
    ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
    toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
    VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
    PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
    O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
    kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
    XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
    4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
    pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
    0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
    lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
    kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
    rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
    kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
    5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
    9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
    evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
    yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
    OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
    tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
    ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
    03k2+ZQwVK0JKSHuLFkuQ3U=
    -----END PRIVATE KEY-----
    """

  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBW6m2+7EmzbfYJUECU
    3hEOaTEsy9kDUXyLOkzSVJjNftXB331OdZ3WN+kp0wzE46GhZANiAAQg3dT70Y94
    DFemIBgfIXUQ9edrFOVuIfPRMhOloI3qJYMyfodIPYMjWRPlAAL0r5RDjcOvjD7v
    DT99N13JOGOaIgUsbH/xI4yiqKtYVE7l/61tVwDjzz9mgq+hjU05bc8=
    -----END PRIVATE KEY-----
    """

  static let rsa1024 = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALsbyTPpBcDpw5mk
    QzwiENDMZQG7FshC5V3f73pyB9HflJ37S+xAaNk1brKlcafhxEAT/mX7/S7wwTSU
    vq7QLi4jYtUejCObL+v9qYkFThjI1os644o1z6zK06x9t2fmdBjhMiAmTIeJpGpU
    eMOOcFYpE3qD7GlJClIoM99X0srtAgMBAAECgYEAlzTzOnIb5jSDj8xBUX0uHa6w
    CeAJnzkAZwarX0Z7r02BqtIEHx5GHRKjLNeqq8M1d5swwXYMuzxwxm9WUauHRPtz
    Dh3tKnYHI4GKasTGmSuNmMYOq7vrjDWeWVZvA4Z4KynzgoePuhFs0UhrLsA44VOx
    f2ADDJOOOzzteqrAS/kCQQDplHMdPhw1s35C2fne0VdNpwU4RRmOqt5WSYPRuh0Z
    INd6SXWjYOxb+RrH4nF1KV/EIPXluV5dMPIdWHXlsrc7AkEAzRFv+DiTRFa6dy28
    kj4Ba4fStlsvgwBNVUDqKz0O1paFut29W4Pgszp665/O74Gsmdo/eFcUXQK/Vk6U
    m/Xz9wJAMA39fNepYBb0c/Z6ZK/24R/qgAAfWO2oXmIzf3NlxyStkBgK3rjzB50B
    OHxK0UrYy/XoAQIY+t02AnmPj9krvwJATi3cqxwegMozsmXcY0CCWBVi7qSa222N
    Dfh+jddsRcEC4LfSjgYb7xhXbmbxhHvCarE6y00fdUor2eKBY2gEBwJBAI96Kapq
    7mXUpW+7QAQpYtn3MCisdp7edRxYUafoSL/tkRepoXqQI7Hiuhl/+q627FC2i9J9
    dVRDF4wCWzZ8jt8=
    -----END PRIVATE KEY-----
    """

  static let encryptedPKCS8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjMUDsUNxsT8wICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGvEtvUz+dv4i53SDA5bz2YEgZBt
    o3GJgTjBD4khLpHGF4uws2EqO4XjqakzsiMUKzAwY/IOUuRXF9eNXRaH9jzlQui6
    BwmKT0PxRKJYt0TlboT21YgvjZtciE81l7MZojT9U969NMJi1dNJPga0Kfm775+j
    KuJJC6h2joC/ujqiaAFnL1GWCz6wNBgcdZi5D9l1AqbvujeoPdfFsKWO/NoygD4=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  static let encryptedTraditional = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,8F89F70CC75A361E1796AD6627494ADC

    Mq1zCo8ADi0TuIRtor4IPR6sVMl+Fw6YrXOcR52ayy7ULHTLoBz6Boz6i4xeF/oI
    0XBuGru5Mv10vg2xEP9jGLO3WpOcmy0kDvN6qLaF4hf0No1874/eRG2QmmKJZ0M0
    +B+ZoK7cHdjZB6yle0Rea94aqfz8WqKRzQfl7Sg2Q6E=
    -----END EC PRIVATE KEY-----
    """
}
