import { type OutgoingHttpHeaders, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'
import { syntaxProblem } from './syntax-problem.ts'

const json = { 'content-type': 'application/json' }

let engine: WholeEngine

beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine?.stop(), 60_000)

interface Told {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
  message: string
}

/** Exactly these bytes; with no length told, in chunks. */
function send(path: string, text: string | undefined, headers: OutgoingHttpHeaders = json): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>()
  const sent = request({ socketPath: engine.socketPath, method: 'POST', path, headers }, async (response) => {
    const pieces: Buffer[] = []
    for await (const piece of response) pieces.push(piece)
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}')
    resolve({ status: response.statusCode ?? 0, body, message: body.message ?? '' })
  })
  sent.on('error', reject)
  if (text !== undefined && headers['transfer-encoding'] === undefined) {
    sent.setHeader('content-length', Buffer.byteLength(text))
  }
  sent.end(text)
  return promise
}

const takingJson = [
  '/commit',
  '/containers/create',
  '/containers/nosuch/exec',
  '/containers/nosuch/update',
  '/exec/nosuch/start',
  '/networks/create',
  '/networks/bridge/connect',
  '/networks/bridge/disconnect',
  '/volumes/create',
  '/auth',
]

async function inspected(path: string, settings: string): Promise<Told['body']> {
  const { status, body } = await send(path, settings)
  expect(status, body.message).toBe(201)
  return (await engine.call('GET', `/containers/${body.Id}/json`)).body
}

describe('JSON bodies', () => {
  it('have names that match without case, at every depth', async () => {
    const { Config, HostConfig } = await inspected(
      '/containers/create?name=folded',
      `{"image":"busybox","CMD":["true"],"labels":{"a":"x","A":"y"},
        "hostconfig":{"NanoCPUs":500000000,"memory":16777216,"Dns":["10.0.0.1"],"restartpolicy":{"name":"always"},
        "portbindings":{"80/tcp":[{"hostport":"0"}]},"Device\u017f":[{"pathonhost":"/dev/null"}]}}`,
    )
    expect(Config).toMatchObject({ Image: 'busybox', Cmd: ['true'], Labels: { a: 'x', A: 'y' } })
    expect(HostConfig).toMatchObject({
      NanoCpus: 500_000_000,
      Memory: 16_777_216,
      Dns: ['10.0.0.1'],
      RestartPolicy: { Name: 'always' },
      PortBindings: { '80/tcp': [{ HostPort: '0' }] },
      Devices: [{ PathOnHost: '/dev/null' }],
    })
    expect(await send('/volumes/create', '{"name":"folded","driverOpts":{}}')).toMatchObject({ status: 201 })
    expect((await engine.call('GET', '/volumes/folded')).status).toBe(200)
    const network = await send('/networks/create', '{"name":"folded","ipam":{"config":[{"subnet":"10.77.0.0/16"}]}}')
    expect(network).toMatchObject({ status: 201 })
    const { body } = await engine.call('GET', '/networks/folded')
    expect(body.IPAM.Config).toEqual([{ Subnet: '10.77.0.0/16', Gateway: '10.77.0.1' }])
  }, 60_000)

  it('say the last of what they say twice', async () => {
    const once = await inspected('/containers/create', '{"Image":"busybox","User":"1","user":"2","Cmd":["true"]}')
    expect(once.Config.User).toBe('2')
    const turned = await inspected('/containers/create', '{"Image":"busybox","user":"2","User":"1","Cmd":["true"]}')
    expect(turned.Config.User).toBe('1')
  }, 60_000)

  it('may have null anywhere, and fields that nobody knows', async () => {
    const { Config, HostConfig } = await inspected(
      '/containers/create',
      `{"Image":"busybox","Cmd":["true",null],"User":null,"Env":null,"Labels":{"a":null},"Nobody":{"knows":[1]},
        "HostConfig":{"Memory":null,"PortBindings":{"80/tcp":[{"HostIp":null,"HostPort":null}]},"Ulimits":null}}`,
    )
    expect(Config).toMatchObject({ Cmd: ['true', ''], User: '', Labels: { a: '' } })
    expect(HostConfig).toMatchObject({ Memory: 0, PortBindings: { '80/tcp': [{}] } })
    expect(await send('/volumes/create', 'null')).toMatchObject({ status: 201 })
    expect(await send('/auth', '{"username":null,"serveraddress":"127.0.0.1:1"}')).not.toMatchObject({ status: 400 })
  }, 60_000)

  it.each(takingJson)('of %s are refused in the words of dockerd', async (path) => {
    const refused = (text: string | undefined, headers?: OutgoingHttpHeaders) => send(path, text, headers)
    const words = (message: string) => ({ status: 400, message: expect.stringContaining(message) })
    const unsupported = "unsupported Content-Type header (text/plain): must be 'application/json'"
    expect(await refused('{}', { 'content-type': 'text/plain' })).toMatchObject(words(unsupported))
    expect(await refused('{}', {})).toMatchObject(words('malformed Content-Type header (): mime: no media type'))
    expect(await refused('{invalid json')).toMatchObject(
      words("invalid JSON: invalid character 'i' looking for beginning of object key string"),
    )
    expect(await refused('{} trailing content')).toMatchObject(words('unexpected content after JSON'))
    expect(await refused('{"a":')).toMatchObject(words('invalid JSON: unexpected EOF'))
    if (path === '/auth') return // It would ask a registry.
    for (const empty of [await refused(''), await refused(undefined, {})]) expect(empty.status).toBeLessThan(500)
  })

  it('may be absent where there is nothing that must be said', async () => {
    expect(await send('/volumes/create', undefined, {})).toMatchObject({ status: 201 })
    expect(await send('/volumes/create', '')).toMatchObject({ status: 201 })
    const eof = { status: 400, message: 'invalid JSON: got EOF while reading request body' }
    expect(await send('/containers/create', '')).toMatchObject(eof)
    expect(await send('/volumes/create', '', { ...json, 'transfer-encoding': 'chunked' })).toMatchObject(eof)
    expect(await send('/containers/create', '{}')).toMatchObject({
      status: 400,
      message: 'config cannot be empty in order to create a container',
    })
    const { body } = await send('/containers/create', '{"Image":"busybox","Cmd":["true"]}')
    expect(await send(`/containers/${body.Id}/start`, '{}', { 'content-type': 'text/plain' })).toMatchObject({
      status: 204,
    })
  }, 60_000)

  it('name what has the wrong type as Go does', async () => {
    expect(await send('/containers/create', '{"image":1}')).toMatchObject({
      status: 400,
      message: 'invalid JSON: json: cannot unmarshal number into Go struct field Image of type string',
    })
    expect(await send('/containers/create', '{"Image":"busybox","HostConfig":{"memory":"1g"}}')).toMatchObject({
      status: 400,
      message: 'invalid JSON: json: cannot unmarshal string into Go struct field HostConfig.Memory of type int64',
    })
    expect(await send('/volumes/create', '[]')).toMatchObject({
      status: 400,
      message: 'invalid JSON: json: cannot unmarshal array into Go value of type struct',
    })
  })
})

describe('what Go says of text that is no JSON', () => {
  it.each([
    ['', 'unexpected EOF'],
    ['{"a":1', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['tru3', "invalid character '3' in literal true (expecting 'e')"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e ', "invalid character ' ' in exponent of numeric literal"],
    ['{} {}', 'trailing'],
    [' [{"a":[1,-2.5e+3,"\\u00e9",null]}] ', undefined],
  ])('%j: %s', (text, words) => expect(syntaxProblem(text)).toBe(words))

  it('is told of any depth', () => expect(syntaxProblem('['.repeat(1_000_000))).toBe('unexpected EOF'))
})

describe('query parameters', () => {
  it('given twice where one is wanted have their first value', async () => {
    const { status, body } = await send('/containers/create?name=first&name=second', '{"Image": "busybox"}')
    expect(status, body.message).toBe(201)
    const { Name } = (await engine.call('GET', `/containers/${body.Id}/json`)).body
    expect(Name).toBe('/first')
  })
})
