import DuramenArchives
import Foundation

/// Reads any bytes as a keyed archive: what is read is archived so that it reads the same, and
/// decoding it answers or throws.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchive(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = Data(UnsafeBufferPointer(start: start, count: count))
    let value: ArchivedValue
    do throws(ArchiveError) {
        value = try ArchivedValue(archive: bytes, allowing: ["Content", "Cover"])
    } catch {
        if error.problem.isEmpty { fail("an error without a word") }
        return 0
    }
    check(value)
    _ = try? value.decoded(as: [String].self)
    _ = try? value.decoded(as: [String: [Date]].self)
    _ = try? value.decoded(as: [UUID: Int].self)
    _ = try? value.decoded(as: Decimal.self)
    return 0
}

private func check(_ value: ArchivedValue) {
    let archive: Data
    do throws(ArchiveError) {
        archive = try value.archive()
    } catch {
        // An object that many refer to is as many objects then.
        if error.code != .limitExceeded { fail("\(value)\n\(error)") }
        return
    }
    do throws(ArchiveError) {
        let again = try ArchivedValue(archive: archive, allowing: ["Content", "Cover"])
        if again != value { fail("\(value)\nbecame\n\(again)") }
        if try again.archive() != archive { fail("\(value) has two archives") }
    } catch {
        if error.code != .limitExceeded { fail("\(value)\n\(error)") }
    }
}

/// Says what is wrong, which an optimised build's own words do not, and ends.
private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    abort()
}
