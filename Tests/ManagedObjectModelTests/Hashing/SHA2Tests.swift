import Testing

@testable import ManagedObjectModel

@Suite("SHA-2")
struct SHA2Tests {
    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // The examples of FIPS 180-4 and the lengths around a block's end, computed with Python's hashlib.
    @Test(
        "SHA-256 gives the standard's results",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (String(repeating: "a", count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (String(repeating: "a", count: 63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            (String(repeating: "a", count: 120), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
            (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func sha256(_ text: String, _ digest: String) {
        #expect(Self.hex(SHA2.sha256(Array(text.utf8))) == digest)
    }

    @Test("SHA-512 gives the standard's result")
    func sha512() {
        #expect(
            Self.hex(SHA2.sha512(Array("abc".utf8)))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test(
        "SHA-512 gives the results of other implementations around a block's end",
        arguments: [
            (
                0, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce",
                "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                111, "fa9121c7b32b9e01733d034cfc78cbf67f926c7ed83e82200ef8681819692176",
                "0b4beff48404df811b953828274461673c68d04e297b0eb7b2b4d60fc6b566a2"
            ),
            (
                112, "c01d080efd492776a1c43bd23dd99d0a2e626d481e16782e75d54c2503b5dc32",
                "bd05f0f1ba33e568b88fd2d970929b719ecbb152f58f130a407c8830604b70ca"
            ),
            (
                127, "828613968b501dc00a97e08c73b118aa8876c26b8aac93df128502ab360f91ba",
                "b50a51e088769a5c1eff4782ace147dce3642554199876374291f5d921629502"
            ),
            (
                128, "b73d1929aa615934e61a871596b3f3b33359f42b8175602e89f7e06e5f658a24",
                "3667807ed300314b95cacdd579f3e33abdfbe351909519a846d465c59582f321"
            ),
            (
                200, "4b11459c33f52a22ee8236782714c150a3b2c60994e9acee17fe68947a3e6789",
                "f31e7668394592da7bef827cddca88c4e6f86e4df7ed1ae6cba71f3e98faee9f"
            ),
        ])
    func sha512(_ count: Int, _ first: String, _ second: String) {
        #expect(Self.hex(SHA2.sha512([UInt8](repeating: 97, count: count))) == first + second)
    }
}
