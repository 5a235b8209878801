import PushContracts
import PushPayload
import WireJSON

/// The carousels, ratings and catalogs of Adobe's library on Android.
extension SDKFact {
  private static let area = "Adobe, Android"

  static let adobeAndroidLists: [SDKFact] = carousel + ratings + catalog

  // MARK: Carousels

  private static let carousel = [
    SDKFact(
      area, "A carousel moves by itself with the mode `auto` or without one, and by hand with every other mode.",
      [
        adobePush("car", "shown", drawn: "template=car", "layout.carousel.moves_by_itself=true"),
        adobePush("car", ["adb_car_mode": "auto"], "shown", drawn: "layout.carousel.moves_by_itself=true"),
        adobePush("car", ["adb_car_mode": "manual"], "shown", drawn: "layout.carousel.moves_by_itself=false"),
        adobePush(
          "car", ["adb_car_mode": "Auto"], "shown", said: "warning adobe-choice-unknown",
          drawn: "layout.carousel.moves_by_itself=false"),
      ]),
    SDKFact(
      area, "The layout is `default` or `filmstrip`; another is drawn as `default`.",
      [
        adobePush("car", "shown", drawn: "layout.carousel.filmstrip=false"),
        adobePush(
          "car", ["adb_car_layout": "filmstrip", "adb_car_mode": "manual"], "shown",
          drawn: "layout.carousel.filmstrip=true"),
        adobePush(
          "car", ["adb_car_layout": "x"], "shown", said: "warning adobe-choice-unknown",
          drawn: "layout.carousel.filmstrip=false"),
      ]),
    SDKFact(
      area, "The elements of a carousel are read in order; the first bad one ends the list, and those before it stay.",
      [
        adobePush(
          "car", ["adb_items": .string(list([picture, picture, picture, "x", picture]))], "shown",
          said: "warning adobe-list-element", drawn: "layout.carousel.items.2.title=One", "layout.carousel.items.3=-"),
        adobePush(
          "car", ["adb_items": .string(list([picture, picture, picture, without("img", picture), picture]))], "shown",
          said: "warning adobe-list-skipped", drawn: "layout.carousel.items.3=-"),
        adobePush(
          "car", ["adb_items": .string(list([picture, without("img", picture), picture, picture, picture]))],
          "fallback: the template basic, as 1 picture is", said: "warning adobe-item-count", drawn: "template=basic"),
        adobePush(
          "car", ["adb_items": .string(list([picture, 7, picture, picture]))], "fallback: the template basic",
          said: "warning adobe-list-element", drawn: "layout=-"),
      ]),
    SDKFact(
      area, "A text of `adb_items` that is no JSON array is a carousel without elements, and no error.",
      ["pictures", "{}", "[", "7"].map {
        adobePush(
          "car", ["adb_items": .string($0)], "fallback: the template basic, as 0 pictures",
          said: "warning adobe-list-unreadable", drawn: "template=basic", "asked_template=car")
      }),
    SDKFact(
      area,
      "Fewer than three pictures are drawn as the template basic; an element with an empty `img` is none of them.",
      [
        adobePush(
          "car", ["adb_items": .string(pictures(2))], "fallback: as 2 pictures", said: "warning adobe-item-count"),
        adobePush("car", ["adb_items": "[]"], "fallback: as 0 pictures", said: "warning adobe-item-count"),
        adobePush(
          "car", ["adb_items": .string(list([picture, with("img", "", picture), picture]))], "fallback: as 2 pictures",
          said: "warning adobe-item-count"),
        adobePush(
          "car", ["adb_items": .string(list([with("img", "", picture), picture, picture, picture]))], "shown",
          said: "warning adobe-item-member", drawn: "layout.carousel.items.2.title=One", "layout.carousel.items.3=-"),
      ]),
    SDKFact(
      area,
      "A picture of a carousel is one that can be downloaded: an `img` that is no `https` address is left out, and fewer than "
        + "three others are drawn as the template basic.",
      noAddresses.flatMap { (image: JSONValue) in
        [
          adobePush(
            "car", ["adb_items": .string(list([picture, with("img", image, picture), picture]))],
            "fallback: as 2 pictures", said: "warning adobe-item-member", drawn: "template=basic", "layout=-"),
          adobePush(
            "car", ["adb_items": .string(list([picture, with("img", image, picture), picture, picture]))], "shown",
            said: "warning adobe-item-member", drawn: "template=car", "layout.carousel.items.2.title=One",
            "layout.carousel.items.3=-"),
        ]
      }
        + ["https://e.com", " https://e.com/1.png", "https://me@e.com:8443?x"].map { (image: JSONValue) in
          adobePush("car", ["adb_items": .string(list([picture, picture, with("img", image, picture)]))], "shown")
        }, vectors: ["adobe/read-android-car-no-url", "adobe/car-no-url"]),
    SDKFact(
      area, "A picture needs no caption and no address of its own, and more than the documented five are drawn.",
      [
        adobePush(
          "car", ["adb_items": .string(list(["a", "b", "c"].map { ["img": .string("https://e.com/" + $0)] }))], "shown",
          drawn: "template=car"),
        adobePush("car", ["adb_items": .string(pictures(6))], "shown", drawn: "layout.carousel.items.5.title=One"),
      ]),
  ]

  // MARK: Ratings

  private static let ratings = [
    SDKFact(
      area, "There are three to five ratings; with another count nothing is shown.",
      [
        adobePush(
          "rate", ["adb_rate_act": .string(links("OPENAPP", "DISMISS"))], "nothing", said: "error adobe-item-count"),
        adobePush(
          "rate", ["adb_rate_act": .string(links("WEBURL", "WEBURL", "WEBURL", "WEBURL", "WEBURL"))], "shown",
          drawn: "template=rate", "layout.rating.count=5"),
        adobePush(
          "rate", ["adb_rate_act": .string(links("WEBURL", "WEBURL", "WEBURL", "WEBURL", "WEBURL", "WEBURL"))],
          "nothing", said: "error adobe-item-count"),
        adobePush("rate", ["adb_rate_act": "[]"], "nothing", said: "error adobe-item-count"),
      ]),
    SDKFact(
      area, "A rating needs a known `type`: WEBURL, DEEPLINK, OPENAPP, DISMISS or NONE. One without spoils the list.",
      [adobePush("rate", ["adb_rate_act": .string(links("NONE", "DISMISS", "OPENAPP"))], "shown")]
        + ["open", "weburl", ""].map {
          adobePush(
            "rate", ["adb_rate_act": .string(links("WEBURL", "WEBURL", "WEBURL", $0))], "nothing",
            said: "error adobe-list-skipped")
        } + [
          adobePush(
            "rate", ["adb_rate_act": #"[{"type":"OPENAPP"},{"type":"OPENAPP"},{"type":"OPENAPP"},{"uri":"x"}]"#],
            "nothing", said: "error adobe-list-skipped")
        ]),
    SDKFact(
      area, "A rating of WEBURL or DEEPLINK needs a uri, the others none; one without spoils the list.",
      [
        adobePush(
          "rate", ["adb_rate_act": #"[{"type":"OPENAPP"},{"type":"DISMISS"},{"type":"NONE"}]"#], "shown",
          drawn: "layout.rating.count=3"),
        adobePush(
          "rate", ["adb_rate_act": #"[{"type":"OPENAPP"},{"type":"DISMISS"},{"type":"NONE"},{"type":"WEBURL"}]"#],
          "nothing", said: "error adobe-list-skipped"),
        adobePush(
          "rate", ["adb_rate_act": #"[{"type":"DEEPLINK"},{"type":"DISMISS"},{"type":"NONE"}]"#], "nothing",
          said: "error adobe-list-skipped"),
      ]),
    SDKFact(
      area, "Ratings that are no JSON array of objects are not shown.",
      [
        adobePush("rate", ["adb_rate_act": "{}"], "nothing", said: "error adobe-list-unreadable"),
        adobePush("rate", ["adb_rate_act": "stars"], "nothing", said: "error adobe-list-unreadable"),
        adobePush(
          "rate", ["adb_rate_act": #"[{"type":"OPENAPP"},{"type":"OPENAPP"},{"type":"OPENAPP"},7]"#], "nothing",
          said: "error adobe-list-element"),
      ]),
  ]

  // MARK: Catalogs

  private static let catalog = [
    SDKFact(
      area, "A catalog has exactly three products; with another count nothing is shown.",
      [2, 4, 0].map {
        adobePush("cat", ["adb_items": .string(products($0))], "nothing", said: "error adobe-item-count")
      } + [
        adobePush("cat", "shown", drawn: "template=cat", "layout.catalog.items.2.title=P", "layout.catalog.button=Buy")
      ]),
    SDKFact(
      area,
      "Each product has all of `title`, `body`, `img`, `price` and `uri`; one without, or with an empty `img`, spoils the catalog.",
      ["title", "body", "img", "price", "uri"].map {
        adobePush(
          "cat", ["adb_items": .string(list([product, product, without($0, product)]))], "nothing",
          said: "error adobe-list-skipped")
      } + [
        adobePush(
          "cat", ["adb_items": .string(list([product, product, 7]))], "nothing", said: "error adobe-list-element"),
        adobePush(
          "cat", ["adb_items": .string(list([product, product, pictureless]))], "nothing",
          said: "error adobe-list-skipped"),
        adobePush("cat", ["adb_items": "products"], "nothing", said: "error adobe-list-unreadable"),
      ]),
    SDKFact(
      area,
      "All pictures of a catalog must be downloaded: one product whose `img` is no `https` address spoils the catalog.",
      noAddresses.map { (image: JSONValue) in
        adobePush(
          "cat", ["adb_items": .string(list([product, product, with("img", image, product)]))], "nothing",
          said: "error adobe-list-skipped")
      }, vectors: ["adobe/read-android-cat-no-url", "adobe/cat-no-url"]),
    SDKFact(
      area, "`adb_display` is `horizontal` or `vertical`; another is horizontal.",
      [
        adobePush("cat", "shown", drawn: "layout.catalog.vertical=false"),
        adobePush("cat", ["adb_display": "vertical"], "shown", drawn: "layout.catalog.vertical=true"),
        adobePush(
          "cat", ["adb_display": "x"], "shown", said: "warning adobe-choice-unknown",
          drawn: "layout.catalog.vertical=false"),
      ]),
  ]
}
