/// The value of a key in a table.
public indirect enum StringValue: Sendable, Hashable {
  /// One text, or format.
  case text(String)
  /// One value per plural category, in the order of the file.
  case plural([PluralForm])
  /// One value per kind of device (`iphone`, `ipad`, `mac`, `other` …), in the order of the file; Apple only.
  case device([NamedForm])
  /// One value per width in the device's own units, in ascending order; Apple only.
  case width([WidthForm])
  /// A format with named variables (`%#@items@`); Apple only.
  case pattern(format: StringValue, variables: [PatternVariable])
  /// A list of texts; Android only.
  case array([StringValue])
  /// The value of another resource, as written: `@string/app_name`; Android only.
  case reference(String)
}

/// A value for one plural category.
public struct PluralForm: Sendable, Hashable {
  /// The category.
  public let category: PluralCategory
  /// The value.
  public let value: StringValue

  /// A form.
  public init(_ category: PluralCategory, _ value: StringValue) {
    self.category = category
    self.value = value
  }
}

/// A value under a name, such as that of a kind of device.
public struct NamedForm: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The value.
  public let value: StringValue

  /// A form.
  public init(_ name: String, _ value: StringValue) {
    self.name = name
    self.value = value
  }
}

/// A value for a display width.
public struct WidthForm: Sendable, Hashable {
  /// The width.
  public let width: Int
  /// The value.
  public let value: StringValue

  /// A form.
  public init(_ width: Int, _ value: StringValue) {
    self.width = width
    self.value = value
  }
}

/// A named part of a format, chosen by an argument.
public struct PatternVariable: Sendable, Hashable {
  /// The name, as in `%#@name@`.
  public let name: String
  /// The argument that selects the form, from 1; nil: the token's position decides.
  public let argument: Int?
  /// The conversion of the argument without `%`, such as `lld`, `d` or `@`.
  public let specifier: String
  /// The texts.
  public let value: StringValue

  /// A variable.
  public init(name: String, argument: Int?, specifier: String, value: StringValue) {
    self.name = name
    self.argument = argument
    self.specifier = specifier
    self.value = value
  }
}
