import CZlib
import FoundationSupplement

/// Raw DEFLATE (RFC 1951), through zlib.
package enum Deflate {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package static func compress(_ data: Data) throws -> Data {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw Failure(description: "zlib can't start") }
        defer { deflateEnd(&stream) }
        return try run(&stream, data, limit: .max) { deflate(&$0, Z_FINISH) }
    }

    /// - Parameter limit: the most bytes to make of the data; more is refused, so that a small file can't fill memory.
    package static func expand(_ data: Data, limit: Int = 256 << 20) throws -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Failure(description: "zlib can't start")
        }
        defer { inflateEnd(&stream) }
        return try run(&stream, data, limit: limit) { inflate(&$0, Z_NO_FLUSH) }
    }

    private static func run(
        _ stream: inout z_stream, _ input: Data, limit: Int, _ step: (inout z_stream) -> Int32
    ) throws -> Data {
        var input = [UInt8](input)
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 65536)
        return try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let status = chunk.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return step(&stream)
                }
                let made = chunk.count - Int(stream.avail_out)
                output.append(contentsOf: chunk[..<made])
                guard output.count <= limit else { throw Failure(description: "the data is too large") }
                if status == Z_STREAM_END { return output }
                guard status == Z_OK, made > 0 || stream.avail_in > 0 else {
                    throw Failure(description: "the data is damaged or cut off")
                }
            }
        }
    }
}
