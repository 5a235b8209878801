import PushPayload
import Testing
import WireJSON

@testable import PostriderServer

/// OneSignal's Liquid, as that of our own pushes.
@Suite struct OneSignalLiquidTests {
  static func translated(_ text: String) throws -> String? {
    var liquid = OneSignalLiquid()
    return try liquid.translated(["contents": ["en": .string(text)]])["contents"]?["en"]?.string
  }

  @Test(
    "OneSignal's objects are ours",
    arguments: [
      (#"{{ first_name | default: "you" }}"#, #"{{ first_name | default: "you" }}"#),
      ("{{ user.tags.plan }}", "{{ user.plan }}"), (#"{{ user.tags["plan"] }}"#, "{{ user.plan }}"),
      ("{{ user['tags'].plan | upcase }}", "{{ user.plan | upcase }}"), ("{{ user.tags.id }}", "{{ id }}"),
      ("{{ user.plan }} {{ device.locale }}", "{{ user.plan }} {{ device.locale }}"),
      ("{{user.external_id}}/{{ subscription.external_id }}", "{{user.id}}/{{ user.id }}"),
      (#"{% if subscription.language == "es" %}Hola{% endif %}"#, #"{% if device.locale == "es" %}Hola{% endif %}"#),
      ("{{ message.custom_data.cart[0].title }}", "{{ message.custom_data.cart[0].title }}"),
      ("{{ x | append: user.tags.b }}", "{{ x | append: user.b }}"),
      (
        "{% assign user = message.custom_data.users[subscription.external_id] %}{{ user.name }} {{ user }}",
        "{% assign own_user = message.custom_data.users[user.id] %}{{ own_user.name }} {{ own_user }}"
      ),
      (
        "{% for event in message.custom_data.events %}{{ event.title }}{% endfor %}",
        "{% for event in message.custom_data.events %}{{ event.title }}{% endfor %}"
      ),
      ("{% raw %}{{ user.tags.x }}{% endraw %}{{ user.tags.x }}", "{% raw %}{{ user.tags.x }}{% endraw %}{{ user.x }}"),
      (
        "{% for a in message.custom_data.l %}{{ forloop.index }}{{ a.b }}{% endfor %}{{ tag.size }}",
        "{% for a in message.custom_data.l %}{{ forloop.index }}{{ a.b }}{% endfor %}{{ tag.size }}"
      ),
      ("{% comment %}{{ org.name }}{% endcomment %}", "{% comment %}{{ org.name }}{% endcomment %}"),
      (#"{{ "user.tags.x" }}"#, #"{{ "user.tags.x" }}"#), ("user.tags.x, { and }", "user.tags.x, { and }"),
      ("Größe {{ user.tags.größe }}", "Größe {{ user.größe }}"),
    ])
  func names(text: String, ours: String) throws {
    #expect(try Self.translated(text) == ours)
  }

  @Test(
    "What is not here is refused by name, with its field",
    arguments: [
      ("{{ user.onesignal_id }}", "{{ user.onesignal_id }}: is not here"),
      ("{{ subscription.email }}", "{{ subscription.email }}: is of other channels"),
      ("{{ org.name }}", "{{ org.name }}: there are no organizations"),
      ("{% if data_feed.offer %}x{% endif %}", "{{ data_feed.offer }}: there are no data feeds"),
      ("Hi {{ order.total }}", "{{ order.total }}: there is no object order here; tags are user.tags.NAME"),
      (
        "{{ custom_data.cart }}",
        "{{ custom_data.cart }}: there is no object custom_data here; name message.custom_data"
      ),
      ("{{ message.id }}", "{{ message.id }}: is not here; there are message.custom_data, message.name"),
      ("{{ user }}", "{{ user }}: name one of its members"),
      ("{% for tag in user.tags %}{{ tag[0] }}{% endfor %}", "{{ user.tags }}: name the tag"),
      ("Hi {{ name | upcasse }}", #"line 1, column 14: there is no filter "upcasse""#),
      ("{% if a %}", "line 1, column 1: "), ("a\n{{ x", "line 2, column 1: "),
    ])
  func refusals(text: String, said: String) throws {
    do {
      _ = try Self.translated(text)
      Issue.record("accepted: \(text)")
    } catch {
      let problem = try #require(error as? Problem)
      let finding = try #require(problem.report.findings.first)
      #expect(finding.field == "contents.en")
      #expect(finding.message.hasPrefix(said), "\(finding.message)")
    }
  }

  @Test("What is in data is not rendered, whatever it has") func data() throws {
    let texts = ["{{ a }}", "{% raw %}{{{%{% endraw %}", "}} %} {", "plain"]
    var liquid = OneSignalLiquid()
    let data = JSONValue.object(["texts": .array(texts.map { .string($0) }), "n": 1])
    #expect(try liquid.translated(["data": data])["data"] == data)
    #expect(!liquid.isUsed)
    let message = try liquid.translated(["contents": ["en": "{{ a }}"], "data": data])
    #expect(liquid.isUsed)
    let marked = MarkedMessage(message["data"] ?? .null)
    #expect(marked.plain == data && marked.errors.isEmpty)
  }
}
