import Foundation

/// Rows of other people's data sets, which are not part of the package.
enum CorpusValues {
    /// A track of Chinook, a shop for music.
    struct Track: Decodable, Sendable {
        let TrackId: Int64
        let Name: String
        let Composer: String?
        let Milliseconds: Int64
        let Bytes: Int64
        let UnitPrice: Double
    }

    /// An airport of OpenFlights.
    struct Airport: Sendable {
        let id: Int64
        let name: String
        let city: String
        let country: String
        let latitude: Double
        let longitude: Double
        let altitude: Int64
    }

    private struct Chinook: Decodable {
        let Track: [CorpusValues.Track]
    }

    /// The folder with the data; nil where `DURAMEN_CORPUS` does not name one.
    static let folder = ProcessInfo.processInfo.environment["DURAMEN_CORPUS"].map {
        URL(filePath: $0).appending(path: "data")
    }

    static func tracks(in folder: URL) throws -> [Track] {
        let file = folder.appending(path: "chinook/ChinookData.json")
        return try JSONDecoder().decode(Chinook.self, from: Data(contentsOf: file)).Track
    }

    static func airports(in folder: URL) throws -> [Airport] {
        let file = folder.appending(path: "openflights/airports.dat")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let fields = fields(of: line)
            guard fields.count > 8, let id = Int64(fields[0]), let latitude = Double(fields[6]),
                let longitude = Double(fields[7]), let altitude = Int64(fields[8])
            else { return nil }
            return Airport(
                id: id, name: fields[1], city: fields[2], country: fields[3], latitude: latitude,
                longitude: longitude, altitude: altitude)
        }
    }

    /// Fields between commas, in quotes where they are text; a backslash takes the next character
    /// as it is.
    private static func fields(of line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        var isEscaped = false
        for character in line {
            if isEscaped {
                fields[fields.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
