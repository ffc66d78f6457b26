// A CSI plugin for tests, which runs by itself: a controller and a node in one, over gRPC. Volumes are folders below
// its state, which all machines of a test share; what it is asked is written to a file there, `calls`. It knows nothing of the
// engine's own messages: fields are read and written by their numbers in csi.proto.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'

const { NODE_NAME = '', ZONE = '', SOCKET = '', STATE = '/state' } = process.env
const volumes = `${STATE}/volumes`

type Fields = Map<number, (Buffer | number)[]>

function varint(bytes: Buffer, at: number): [value: number, next: number] {
  let [value, factor, next] = [0, 1, at]
  for (;;) {
    const byte = bytes[next++] ?? 0
    value += (byte & 0x7f) * factor
    factor *= 0x80
    if (byte < 0x80) return [value, next]
  }
}

function read(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = varint(bytes, at)
    const [value, next] = varint(bytes, afterTag)
    const isText = (tag & 7) === 2
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), isText ? bytes.subarray(next, next + value) : value])
    at = isText ? next + value : next
  }
  return fields
}

const nested = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((each) => read(each as Buffer))
const text = (fields: Fields | undefined, number: number): string => String(fields?.get(number)?.[0] ?? '')
const whole = (fields: Fields | undefined, number: number): number => Number(fields?.get(number)?.[0] ?? 0)
const texts = (fields: Fields, number: number): Record<string, string> =>
  Object.fromEntries(nested(fields, number).map((pair) => [text(pair, 1), text(pair, 2)]))

function number(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}
const field = (id: number, value: string | number | Buffer): Buffer => {
  if (typeof value === 'number') return Buffer.concat([number(id * 8), number(value)])
  const bytes = Buffer.from(value as string)
  return Buffer.concat([number(id * 8 + 2), number(bytes.length), bytes])
}
const pairs = (id: number, all: Record<string, string>): Buffer =>
  Buffer.concat(Object.entries(all).map(([key, value]) => field(id, Buffer.concat([field(1, key), field(2, value)]))))
const can = (...types: number[]): Buffer => Buffer.concat(types.map((type) => field(1, field(1, field(1, type)))))
const place = (segments: Record<string, string>): Buffer => pairs(1, segments)
const capability = (fields: Fields | undefined) => ({
  mode: whole(nested(fields ?? new Map(), 3)[0], 1),
  fsType: text(nested(fields ?? new Map(), 2)[0], 1),
})

const mount = (from: string, to: string): void => void execFileSync('mount', ['--bind', from, to])
const isMounted = (path: string): boolean => {
  try {
    execFileSync('mountpoint', ['-q', path])
    return true
  } catch {
    return false
  }
}

class Failure extends Error {
  code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** What it was asked, for the journal, and the answer. */
type Answer = { asked?: object; answer?: Buffer; waitsFor?: string | undefined }

const methods: Record<string, (request: Fields) => Answer> = {
  'Identity/GetPluginCapabilities': () => ({ answer: can(1, 2) }),
  'Controller/ControllerGetCapabilities': () => ({ answer: can(1, 2) }),
  'Node/NodeGetCapabilities': () => ({ answer: can(1) }),
  'Node/NodeGetInfo': () => ({
    answer: Buffer.concat([field(1, `csi-${NODE_NAME}`), field(3, place({ zone: ZONE }))]),
  }),
  'Controller/CreateVolume'(request) {
    const [range] = nested(request, 2)
    const requisite = nested(nested(request, 7)[0] ?? new Map(), 1).map((each) => texts(each, 1))
    const asked = {
      ...{ name: text(request, 1), required: whole(range, 1), limit: whole(range, 2), requisite },
      ...{ capability: capability(nested(request, 3)[0]), parameters: texts(request, 4), secrets: texts(request, 5) },
    }
    if (asked.parameters.needs !== undefined && !existsSync(`${STATE}/${asked.parameters.needs}`)) {
      throw new Failure(8, `there is no ${asked.parameters.needs} left`)
    }
    const id = `made-${asked.name}`
    mkdirSync(`${volumes}/${id}`, { recursive: true })
    const places = requisite.slice(0, 1).map((segments) => field(5, place(segments)))
    const volume = [field(1, asked.required), field(2, id), pairs(3, { path: `${volumes}/${id}` }), ...places]
    return { asked, answer: field(1, Buffer.concat(volume)), waitsFor: asked.parameters.waits }
  },
  'Controller/DeleteVolume'(request) {
    // Whoever asks may not have heard that it is gone already.
    rmSync(`${volumes}/${text(request, 1)}`, { recursive: true, force: true })
    return { asked: { id: text(request, 1), secrets: texts(request, 2) } }
  },
  'Controller/ControllerPublishVolume'(request) {
    const [id, node] = [text(request, 1), text(request, 2)]
    return { asked: { id, node, capability: capability(nested(request, 3)[0]) }, answer: pairs(1, { for: node }) }
  },
  'Controller/ControllerUnpublishVolume': (request) => ({ asked: { id: text(request, 1), node: text(request, 2) } }),
  'Node/NodeStageVolume'(request) {
    const [context, place] = [texts(request, 6), text(request, 3)]
    if (!isMounted(place)) mount(context.path ?? '', place)
    return { asked: { id: text(request, 1), published: texts(request, 2), secrets: texts(request, 5), context } }
  },
  'Node/NodePublishVolume'(request) {
    const [staged, target] = [text(request, 3), text(request, 4)]
    mkdirSync(target, { recursive: true })
    if (!isMounted(target)) mount(staged, target)
    return { asked: { id: text(request, 1), published: texts(request, 2), context: texts(request, 8) } }
  },
  'Node/NodeUnpublishVolume'(request) {
    const target = text(request, 2)
    if (isMounted(target)) execFileSync('umount', [target])
    if (existsSync(target)) rmdirSync(target)
    return { asked: { id: text(request, 1) } }
  },
  'Node/NodeUnstageVolume'(request) {
    if (isMounted(text(request, 2))) execFileSync('umount', [text(request, 2)])
    return { asked: { id: text(request, 1) } }
  },
}

async function answerTo(method: string, bytes: Buffer): Promise<Buffer> {
  const found = methods[method]
  if (found === undefined) throw new Failure(12, `${method} is not known here`)
  const { asked, answer = Buffer.alloc(0), waitsFor } = found(read(bytes))
  if (asked !== undefined) appendFileSync(`${STATE}/calls`, `${JSON.stringify({ by: NODE_NAME, method, ...asked })}\n`)
  while (waitsFor !== undefined && !existsSync(`${STATE}/${waitsFor}`)) await pause(20)
  return answer
}

async function serve(stream: ServerHttp2Stream, path: string): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  let [code, words, answer] = [0, '', Buffer.alloc(0)]
  try {
    answer = Buffer.from(await answerTo(path.replace('/csi.v1.', ''), Buffer.concat(chunks).subarray(5)))
  } catch (error) {
    ;[code, words] = [error instanceof Failure ? error.code : 13, (error as Error).message.split('\n')[0] ?? '']
  }
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(code), 'grpc-message': words }))
  const head = Buffer.alloc(5)
  head.writeUInt32BE(answer.length, 1)
  stream.end(code === 0 ? Buffer.concat([head, answer]) : undefined)
}

createServer()
  .on('stream', (stream, headers) => void serve(stream, String(headers[':path'])))
  .listen(SOCKET)
