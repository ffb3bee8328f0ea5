import DuramenStore
import StoreTestSupport
import Testing

@testable import DuramenPostgres

struct ConnectionSettingsTests {
    private static let marker = "sesame17"

    @Test(arguments: [
        "postgres://me:sesame17@db.example/orders?schema=shop&connections=8",
        "postgresql://me:sesame17@db.example/orders?connections=8&schema=shop&sslrootcert=system",
        "host=db.example dbname=orders user=me schema = shop connections='8' password='sesame17'",
    ])
    func ourOwnParametersAreTakenOut(text: String) throws {
        let (settings, own) = try ConnectionSettings.parse(text)
        #expect(own.schema == "shop")
        #expect(own.connections == 8)
        #expect(settings.place.description == "postgres://db.example/orders, schema shop")
        #expect(settings.parameters["password"] == Self.marker)
    }

    @Test(arguments: ["postgres", "postgresql"])
    func aTextDescribesTheSameStoreAsCode(kind: String) throws {
        let text = "//db.example/orders?schema=shop"
        let described = try StoreTypes([.postgres]).description(for: kind + ":" + text)
        let place = PersistentStoreDescription.postgres("postgres:" + text, schema: "shop")
        #expect(described.location == place.location)
        #expect(described.snapshotLeaseSeconds == place.snapshotLeaseSeconds)
        let connection = (described.type as? PostgresStoreType)?.connection
        #expect(connection == (place.type as? PostgresStoreType)?.connection)
    }

    @Test func theOptionsOfTextAndDescriptionHoldTogether() throws {
        let text = "postgres://h/d?notices=on&read_timeout=1.5&connections=3"
        let asked = try StoreLocation(.postgres(text)).options
        #expect(asked.notifies)
        #expect(asked.readSeconds == 1.5)
        #expect(asked.connections == 3)
        let described = PersistentStoreDescription.postgres("postgres://h/d?read_timeout=9")
            .notifying().readTimeout(seconds: 2).connections(4)
        let options = try StoreLocation(described).options
        #expect(options.notifies)
        #expect(options.readSeconds == 2, "the code knows better than the deployment")
        #expect(options.connections == 4)
        let plain = try StoreLocation(.postgres("postgres://h/d?notices=off")).options
        #expect(plain == PostgresOptions())
    }

    @Test func quotesAndBackslashesAreReadAsLibpqDoes() throws {
        let text = #"dbname='a \'b\\' schema='my \'shop' password=x\ y"#
        let (settings, own) = try ConnectionSettings.parse(text)
        #expect(settings.parameters["dbname"] == #"a 'b\"#)
        #expect(settings.parameters["password"] == "x y")
        #expect(own.schema == "my 'shop")
    }

    @Test func aSchemaInAURIIsPercentEncoded() throws {
        #expect(try ConnectionSettings.parse("postgres:///x?schema=a%20%26b").own.schema == "a &b")
    }

    @Test(arguments: ["postgres://h/d?pooler=transaction", "host=h pooler=transaction"])
    func anUnknownParameterIsRefusedByItsName(text: String) {
        let error = Self.error(text)
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("'pooler'") == true)
    }

    @Test(arguments: [
        "postgres://me:sesame17@h:port/d", "postgres://me:a/sesame17@h/d",
        "postgres://me:sesame17@[h/d",
        "host=h password='sesame17", "host=h password=a sesame17", "host=h password=a sesame17=b",
        "password=sesame17 connections=many", "password=sesame17 schema=''",
        "postgres://%zz:sesame17@h/d",
        "postgres://h/d?password=a&sesame17=x", "postgres://me:sesame17@h/d?schema=a&schema=b",
        "postgres://me:sesame17@h/d?connections=0", "sesame17", "host=h port=sesame17",
        "password=sesame17 notices=maybe", "password=sesame17 read_timeout=-1",
        "password=sesame17 read_timeout=inf", "password=sesame17 read_timeout=1s",
    ])
    func noPartOfAPasswordIsInAMessage(text: String) {
        let error = Self.error(text)
        #expect(error?.code == .invalidRequest)
        #expect(error.map { "\($0)".contains(Self.marker) } == false)
    }

    @Test func aQuestionMarkInAPasswordBeginsNoParameters() throws {
        let (settings, own) = try ConnectionSettings.parse("postgres://me:a?b=c@h/d?schema=s")
        #expect(settings.parameters["password"] == "a?b=c")
        #expect(own.schema == "s")
    }

    @Test func aServerOnTheNetworkMustBeVerified() throws {
        var settings = try ConnectionSettings.parse("host=db.example").settings
        let strict = Dictionary(uniqueKeysWithValues: try settings.libpqParameters())
        #expect(strict["sslmode"] == "verify-full")
        #expect(strict["channel_binding"] == "require")
        #expect(strict["gssencmode"] == "disable")
        #expect(strict["tcp_user_timeout"] == "30000")
        settings.allowsUnverifiedServer = true
        let lax = Dictionary(uniqueKeysWithValues: try settings.libpqParameters())
        #expect(lax["sslmode"] == nil)
        #expect(lax["channel_binding"] == nil)
    }

    @Test func aTextThatTurnsTheVerificationOffIsRefused() throws {
        var settings = try ConnectionSettings.parse("host=localhost sslmode=require").settings
        #expect(storeErrorCode { try settings.libpqParameters() } == .invalidRequest)
        settings.allowsUnverifiedServer = true
        #expect(try settings.libpqParameters().contains { $0 == ("sslmode", "require") })
    }

    @Test func aSocketIsNoNetwork() throws {
        let settings = try ConnectionSettings.parse("postgres://me@%2Ftmp%2Fdpg.abcd/d").settings
        #expect(settings.isLocalSocket)
        let parameters = Dictionary(uniqueKeysWithValues: try settings.libpqParameters())
        #expect(parameters["channel_binding"] == nil)
        #expect(parameters["host"] == "/tmp/dpg.abcd")
    }

    private static func error(_ text: String) -> StoreError? {
        do throws(StoreError) {
            _ = try ConnectionSettings.parse(text)
            return nil
        } catch { return error }
    }
}
