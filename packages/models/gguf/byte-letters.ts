// Byte-level vocabularies write each of the 256 bytes as one printable letter. This is their alphabet.
const printable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)

/** The letter of every byte. */
export const byteLetters: readonly string[] = letters()

function letters(): string[] {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
}
