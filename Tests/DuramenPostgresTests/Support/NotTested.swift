import Foundation
import Testing

/// Records that something is not tested on this machine.
///
/// It is a failure if `DURAMEN_REQUIRE_POSTGRES=1` asks for all tests. Otherwise it is printed.
///
/// - Parameters:
///   - subject: The subject of the tests that are left out, in the plural.
///   - reason: The reason why they cannot run here.
func recordNotTested(_ subject: String, because reason: String) {
    if ProcessInfo.processInfo.environment["DURAMEN_REQUIRE_POSTGRES"] == "1" {
        Issue.record("\(subject) are not tested: \(reason)")
    } else {
        print("DuramenPostgres: \(subject) are not tested: \(reason).")
    }
}
