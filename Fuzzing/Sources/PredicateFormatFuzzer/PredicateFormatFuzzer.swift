import DuramenQuery
import Foundation

/// Reads any bytes as a format string: an error has its place in it, and what is read is printed so
/// that it reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicateFormat(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let format = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let arguments: [any PredicateArgument] = ["a.b", 7, 2.5, "text", [1, 2], "c"]
    for number in 0...arguments.count {
        check(format, Array(arguments.prefix(number)))
    }
    return 0
}

private func check(_ format: String, _ arguments: [any PredicateArgument]) {
    let predicate: FetchPredicate
    do throws(PredicateFormatError) {
        predicate = try FetchPredicate(format: format, arguments: arguments)
    } catch {
        precondition((0...format.unicodeScalars.count).contains(error.offset))
        precondition(!error.description.isEmpty)
        return
    }
    let text = predicate.description
    do throws(PredicateFormatError) {
        let again = try FetchPredicate(text)
        // A NaN is no value that equals itself.
        if again != predicate, !text.contains("\"nan\"") {
            fail("\(text)\nbecame\n\(again)\nthat is\n\(predicate)")
        }
    } catch {
        fail("\(text)\n\(error)")
    }
    _ = predicate.substitutionVariables
    _ = try? predicate.evaluate(with: .dictionary(["a": .value(.integer(1))]))
}

/// Says what is wrong, which an optimised build's own words do not, and ends.
private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    abort()
}
