// The bytes behind every token. The binding gives text only, in which a character split over tokens is lost.
import { byteLetters } from '../../gguf/byte-letters.ts'
import type { AddonModel } from './addon.ts'

/** As llama.cpp numbers them. */
const sentencePieceType = 1
const bytePairType = 2
const unigramType = 4
const attribute = { unknown: 1, unused: 2, normal: 4, control: 8, userDefined: 16, byte: 32 } as const

const byteOfLetter = new Map(byteLetters.map((letter, byte) => [letter.charCodeAt(0), byte]))
const spaceMark = '▁'
const none = Buffer.alloc(0)

export class Vocabulary {
  readonly size: number
  readonly #model: AddonModel
  readonly #type: number
  readonly #bytes = new Map<number, Buffer>()
  /** The texts of tokens that steer the model: what looks like them in a message must stay plain text. */
  readonly controlTexts: string[]

  constructor(model: AddonModel, size: number) {
    this.#model = model
    this.size = size
    this.#type = model.getVocabularyType()
    this.controlTexts = []
    for (let token = 0; token < size; token++) {
      if ((model.getTokenAttributes(token) & attribute.control) === 0) continue
      const text = model.getTokenString(token)
      if (text !== '') this.controlTexts.push(text)
    }
  }

  isEnd(token: number): boolean {
    return this.#model.isEogToken(token)
  }

  /** It stands for a byte of what has no token: `<0x41>`. */
  isByte(token: number): boolean {
    return (this.#model.getTokenAttributes(token) & attribute.byte) !== 0
  }

  /** Control tokens have no bytes unless asked for. */
  bytesOf(token: number, withControl: boolean): Buffer {
    const attributes = this.#model.getTokenAttributes(token)
    if ((attributes & (attribute.control | attribute.unknown | attribute.unused)) !== 0) {
      return withControl ? Buffer.from(this.#model.getTokenString(token)) : none
    }
    const known = this.#bytes.get(token)
    if (known !== undefined) return known
    const bytes = this.#decode(token, attributes)
    this.#bytes.set(token, bytes)
    return bytes
  }

  /** As text; bytes that are no whole characters are written `\xe2`. */
  textOf(token: number): string {
    return readable(this.bytesOf(token, true))
  }

  #decode(token: number, attributes: number): Buffer {
    const text = this.#model.getTokenString(token)
    if ((attributes & attribute.byte) !== 0) return Buffer.from([Number.parseInt(text.slice(3, 5), 16)])
    if ((attributes & attribute.userDefined) !== 0) return Buffer.from(text)
    switch (this.#type) {
      case bytePairType:
        return bytesOfLetters(text)
      case sentencePieceType:
      case unigramType:
        return Buffer.from(text.replaceAll(spaceMark, ' '))
      default:
        return Buffer.from(this.#model.detokenize(Uint32Array.of(token), false))
    }
  }
}

/** In vocabularies of byte pairs a letter stands for a byte. One that does not is itself. */
function bytesOfLetters(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  for (let at = 0; at < text.length; at++) {
    const byte = byteOfLetter.get(text.charCodeAt(at))
    if (byte === undefined) return Buffer.concat([...text].map(letterBytes))
    bytes[at] = byte
  }
  return bytes
}

function letterBytes(letter: string): Buffer {
  const byte = byteOfLetter.get(letter.charCodeAt(0))
  return byte === undefined ? Buffer.from(letter) : Buffer.from([byte])
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readable(bytes: Buffer): string {
  try {
    return strict.decode(bytes)
  } catch {
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  }
}
