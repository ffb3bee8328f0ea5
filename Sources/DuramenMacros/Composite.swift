import Duramen

/// Makes a struct the value of composite attributes: its stored properties become their elements.
///
/// ```swift
/// @Composite
/// struct Place {
///     var latitude: Double = 0
///     var longitude: Double = 0
///     var height: Double?
/// }
/// ```
/// Each stored property is an element: of a type that attributes can have, or marked
/// `@Attribute(.composite)` or `@Attribute(.codable("…"))`. It is optional or has an initial value,
/// which is that of a new struct. Static and computed properties are left alone, and private ones
/// without a marker. The struct gets `CompositeValue`'s `elements` and `init()`, and where it
/// declares no initialiser, one with a parameter for each element.
@attached(member, names: named(elements), named(init))
@attached(extension, conformances: CompositeValue)
public macro Composite() = #externalMacro(module: "DuramenMacrosPlugin", type: "CompositeMacro")
