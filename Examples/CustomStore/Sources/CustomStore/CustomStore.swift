@main struct CustomStore { static func main() {} }
