// Messages of protocol buffers, written down as tables of fields: `message({ ref: string(1), size: int64(4) })`.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

export interface Field<T> {
  number: number
  wireType: WireType
  /** What it is when nothing was sent of it. */
  empty(): T
  /** Writes nothing for what is empty. */
  write(to: BinaryWriter, value: T): void
  /** With what was read of it before. */
  read(from: BinaryReader, before: T): T
}

type Fields = Record<string, Field<unknown>>
type ValueOf<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

export interface Message<T> {
  encode(value: Partial<T>): Uint8Array
  /** Fields that are not in the table are left out; bytes that are no message throw. */
  decode(bytes: Uint8Array): T
}

export type Read<M> = M extends Message<infer T> ? T : never

/** What came is no message of this kind. */
export class MalformedMessage extends Error {}

export function message<F extends Fields>(fields: F): Message<ValueOf<F>> {
  const named = Object.entries(fields)
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]))
  return {
    encode(value) {
      const writer = new BinaryWriter()
      const given: Record<string, unknown> = value
      for (const [name, field] of named) if (given[name] !== undefined) field.write(writer, given[name])
      return writer.finish()
    },
    decode(bytes) {
      const value: Record<string, unknown> = {}
      for (const [name, field] of named) value[name] = field.empty()
      const reader = new BinaryReader(bytes)
      try {
        while (reader.pos < reader.len) readField(reader, byNumber, value)
      } catch (error) {
        throw new MalformedMessage(`a message cannot be read: ${error instanceof Error ? error.message : error}`)
      }
      return value as ValueOf<F>
    },
  }
}

function readField(
  reader: BinaryReader,
  fields: ReadonlyMap<number, { name: string; field: Field<unknown> }>,
  value: Record<string, unknown>,
): void {
  const [number, wireType] = reader.tag()
  const known = fields.get(number)
  if (known === undefined) return void reader.skip(wireType, number)
  if (known.field.wireType !== wireType) throw new Error(`field ${number} is of another type`)
  value[known.name] = known.field.read(reader, value[known.name])
}

const { LengthDelimited, Varint } = WireType

export const string = (number: number): Field<string> => ({
  number,
  wireType: LengthDelimited,
  empty: () => '',
  write: (to, value) => void (value !== '' && to.tag(number, LengthDelimited).string(value)),
  read: (from) => from.string(),
})

const noBytes = new Uint8Array()

export const bytes = (number: number): Field<Uint8Array> => ({
  number,
  wireType: LengthDelimited,
  empty: () => noBytes,
  write: (to, value) => void (value.length > 0 && to.tag(number, LengthDelimited).bytes(value)),
  read: (from) => from.bytes(),
})

export const bool = (number: number): Field<boolean> => ({
  number,
  wireType: Varint,
  empty: () => false,
  write: (to, value) => void (value && to.tag(number, Varint).bool(value)),
  read: (from) => from.bool(),
})

export const uint32 = (number: number): Field<number> => ({
  number,
  wireType: Varint,
  empty: () => 0,
  write: (to, value) => void (value !== 0 && to.tag(number, Varint).uint32(value)),
  read: (from) => from.uint32(),
})

export const int32 = (number: number): Field<number> => ({
  number,
  wireType: Varint,
  empty: () => 0,
  write: (to, value) => void (value !== 0 && to.tag(number, Varint).int32(value)),
  read: (from) => from.int32(),
})

export const int64 = (number: number): Field<bigint> => ({
  number,
  wireType: Varint,
  empty: () => 0n,
  write: (to, value) => void (value !== 0n && to.tag(number, Varint).int64(value)),
  read: (from) => BigInt(from.int64()),
})

/** Undefined: it was not sent. An empty one is sent as such. */
export const nested = <T>(number: number, inner: Message<T>): Field<Partial<T> | undefined> => ({
  number,
  wireType: LengthDelimited,
  empty: () => undefined,
  write: (to, value) => void (value !== undefined && to.tag(number, LengthDelimited).bytes(inner.encode(value))),
  read: (from) => inner.decode(from.bytes()),
})

/** Of strings, bytes and messages: one field for each. */
export const repeated = <T>(field: Field<T>): Field<NonNullable<T>[]> => ({
  number: field.number,
  wireType: field.wireType,
  empty: () => [],
  write(to, values) {
    for (const value of values) {
      // An empty one counts, too.
      if (value === '') to.tag(field.number, LengthDelimited).string('')
      else field.write(to, value)
    }
  },
  read(from, before) {
    const value = field.read(from, field.empty())
    if (value !== null && value !== undefined) before.push(value)
    return before
  },
})

/** From strings to something. */
export function map<T>(number: number, value: (number: number) => Field<T>): Field<Map<string, T>> {
  const entry = message({ key: string(1), value: value(2) })
  return {
    number,
    wireType: LengthDelimited,
    empty: () => new Map(),
    write(to, values) {
      for (const [key, each] of values) {
        const pair = { key, value: each } as Partial<Read<typeof entry>>
        to.tag(number, LengthDelimited).bytes(entry.encode(pair))
      }
    },
    read(from, before) {
      const read = entry.decode(from.bytes())
      return before.set(read.key, read.value as T)
    },
  }
}
