// Transforms in the sandbox: what they can do, and what those who write or feed them may try.
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfiguredMappings } from '../mappings.ts'
import { actionOf, openForFile, openMappings, request, transformsFolder } from '../testing/mappings-fixture.ts'

const withTransform = (module: string, more: object = {}) => ({
  mappings: [{ id: 'it', messageTemplate: 'from the template', transform: { module, ...more } }],
})

async function run(source: string, payload: Record<string, unknown> = {}, file = 'it.js') {
  const { mappings } = await openMappings(withTransform(file), { [file]: source })
  return actionOf(mappings, 'it', request('ci', payload))
}

describe('transforms', () => {
  it('HOOK-010 HOOK-011 HOOK-074 a JavaScript module makes the action of the request', async () => {
    const source = `export default ({ payload, headers, url, path }) => ({
      message: [payload.who, headers['user-agent'], url.pathname, url.searchParams.get('tab'), String(url.searchParams.get('no')), path].join(' '),
      name: new Date(0).toISOString(),
    })`
    expect(await run(source, { who: 'me' })).toMatchObject({
      message: 'me tester /hooks/ci all null ci',
      name: '1970-01-01T00:00:00.000Z',
      mapping: 'it',
    })
  })

  it('HOOK-011 HOOK-074 so does a TypeScript module, without a loader', async () => {
    const source = `interface Input { payload: { n: number } }
      enum Size { Small = 'small' }
      export async function transform({ payload }: Input): Promise<{ message: string }> {
        const n: number = await Promise.resolve(payload.n)
        return { message: \`\${n + 1} \${Size.Small}\` }
      }`
    expect(await run(source, { n: 41 }, 'it.ts')).toMatchObject({ message: '42 small' })
  })

  it('a named export is called when the mapping names it (HOOK-074)', async () => {
    const source = 'export default () => ({ message: "no" }); export const mine = () => ({ message: "mine" })'
    const { mappings } = await openMappings(withTransform('it.js', { export: 'mine' }), { 'it.js': source })
    expect(await actionOf(mappings, 'it', request('x'))).toMatchObject({ message: 'mine' })
  })

  it('nothing returned leaves the template, null skips the request, a kind changes it (HOOK-074)', async () => {
    expect(await run('export default () => undefined')).toMatchObject({ message: 'from the template' })
    expect(await run('export default async () => null')).toBeNull()
    expect(await run('export default () => ({ kind: "wake", text: "up", mode: "next-heartbeat" })')).toEqual({
      ...{ kind: 'wake', text: 'up', mode: 'next-heartbeat', mapping: 'it' },
    })
  })

  it('keeps nothing from one call to the next', async () => {
    const source = `globalThis.calls = (globalThis.calls ?? 0) + 1; let own = 0
      export default () => { Array.prototype.seen = true; own++; return { message: globalThis.calls + ' ' + own } }`
    const { mappings } = await openMappings(withTransform('it.js'), { 'it.js': source })
    for (const path of ['a', 'b']) {
      expect(await actionOf(mappings, 'it', request(path))).toMatchObject({ message: '1 1' })
    }
  })
})

const body = (code: string) => `export default () => { ${code} }`

const attacks: [what: string, source: string, words: RegExp][] = [
  ['an endless loop', body('for (;;);'), /took longer than 50 ms/],
  ['an endless loop that catches', body('for (;;) { try { for (;;); } catch {} }'), /took longer than 50 ms/],
  ['endless microtasks', body('const f = () => Promise.resolve().then(f); return f()'), /took longer than 50 ms/],
  ['a regular expression that explodes', body('return /^(a+)+$/.test("a".repeat(40) + "b")'), /50 ms/],
  [
    'a loop inside the interpreter',
    body('return [].includes.call({ length: 2 ** 50 }, 1)'),
    /was ended: it hangs|50 ms/,
  ],
  ['much memory', body('const all = []; for (;;) all.push(new Uint8Array(1e6))'), /16 MB|memory/],
  ['a huge string', body('return { message: "x".repeat(1e9) }'), /memory|too long|16 MB/],
  ['a long string', body('return { message: "x".repeat(1e6) }'), /more than 524288 characters/],
  ['a long message', body('return { message: "x".repeat(3e5) }'), /wrong message/],
  ['deep calls', body('const f = () => f() + 1; return f()'), /too deeply/],
  ['deep JSON', body('return JSON.parse("[".repeat(3e5))'), /more than the sandbox can run|too deeply|50 ms/],
  ['a promise that never settles', body('return new Promise(() => {})'), /never settles/],
  ['a rejected promise', body('return Promise.reject(new Error("not today"))'), /not today/],
  ['a getter that throws', body('return { get message() { throw new Error("gotcha") } }'), /gotcha/],
  ['an error that throws', body('throw { get name() { throw 1 }, get message() { for (;;); } }'), /threw|50 ms/],
  ['a proxy', body('return new Proxy({}, { ownKeys() { throw new Error("trap") } })'), /trap/],
  ['a circle', body('const a = {}; a.a = a; return a'), /circular/],
  ['a function', body('return () => 1'), /returned a function/],
  ['a list', body('return ["message"]'), /returned no object/],
  ['an unknown field', body('return { message: "x", shell: "rm" }'), /unknown fields: shell/],
  ['a prototype', body('return JSON.parse(\'{"__proto__":{"deliver":false},"message":"x"}\')'), /unknown fields/],
  ['a wrong type', body('return { deliver: "yes" }'), /wrong deliver/],
  ['the wrapper lifted', body('return { allowUnsafeExternalContent: true }'), /only the mapping itself/],
  ['another module', body('return import("node:fs")'), /could not load module/],
]

describe('a transform that misbehaves is a fault of the mapping, and changes nothing else', () => {
  let mappings: ConfiguredMappings
  beforeAll(async () => {
    const files = Object.fromEntries(attacks.map(([, source], index) => [`${index}.js`, source]))
    const ids = [...attacks.keys()].map(String)
    mappings = await openForFile(
      { mappings: [...ids, 'good'].map((id) => ({ id, transform: { module: `${id}.js` } })) },
      { ...files, 'good.js': 'export default () => ({ message: "still here" })' },
    )
  })
  afterAll(() => mappings.close())

  it.each(attacks.map(([what], index) => [what, index] as const))('%s', async (_what, index) => {
    await expect(actionOf(mappings, String(index), request('x'))).rejects.toThrow(attacks[index]?.[2])
    expect(await actionOf(mappings, 'good', request('x'))).toMatchObject({ message: 'still here' })
  })

  it('holds up its own calls, not those of another', async () => {
    let looped = 0
    const many = Array.from({ length: 24 }, () => actionOf(mappings, '0', request('x')).catch(() => looped++))
    expect(await actionOf(mappings, 'good', request('x')).then(() => looped)).toBeLessThan(12)
    await Promise.all(many)
  })

  it('finds nothing of the gateway inside, however it looks for it', async () => {
    const source = `export default () => {
      const scope = Function('return this')()
      const names = ['process', 'require', 'fetch', 'WebAssembly', 'setTimeout', 'Worker', 'console', 'module', 'global', 'Buffer']
      const reach = (value) => value.constructor.constructor('return typeof process')()
      return { message: names.filter((name) => name in scope).concat(reach({}), reach([].map)).join(' ') }
    }`
    expect(await run(source)).toMatchObject({ message: 'undefined undefined' })
  })

  it('cannot change what the gateway reads from it', async () => {
    const source = `JSON.stringify = () => '{"message":"forged"}'; JSON.parse = () => ({}); Object.prototype.message = 'inherited'
      export default () => ({ name: 'honest' })`
    expect(await run(source)).toMatchObject({ name: 'honest', message: 'from the template' })
    expect({}).not.toHaveProperty('message')
  })
})

describe('transform.module', () => {
  const refused = async (module: string, files: Record<string, string> = {}) =>
    openMappings(withTransform(module), files).then(
      () => 'it was accepted',
      (error: Error) => error.message,
    )

  it.each([
    '/etc/passwd',
    '../../secret.js',
    'a/../../secret.js',
    'file:///etc/passwd',
    'https://example.com/x.js',
    'data:text/javascript,1',
    'C:\\x.js',
    '..',
    './x.js',
    'x\0.js',
    'node:fs',
    'package.json',
  ])('HOOK-090 %s is refused at the start, and the key is named', async (module) => {
    expect(await refused(module)).toMatch(/^hooks\.mappings\[0\]\.transform\.module: /)
  })

  it('HOOK-090 a link that leads out of the folder is refused, file or folder; one that stays inside is not', async () => {
    const { folder, data } = await transformsFolder({ 'real.js': 'export default () => null' })
    await writeFile(join(data, 'outside.js'), 'export default () => null')
    await symlink(join(data, 'outside.js'), join(folder, 'link.js'))
    await symlink(data, join(folder, 'way'))
    await symlink('real.js', join(folder, 'inside.js'))
    const from = (module: string) =>
      openMappings({ ...withTransform(module), transformsDir: folder }).catch((error: Error) => error.message)
    expect(await from('link.js')).toMatch(/transform\.module: "link\.js" is a link that leads out of/)
    expect(await from('way/outside.js')).toMatch(/leads out of/)
    expect(await from('inside.js')).toHaveProperty('mappings')
  })

  it.each([
    ['a file that is not there', 'gone.js', {}, /there is no "gone\.js"/],
    ['a syntax error', 'it.js', { 'it.js': 'export default (' }, /it\.js threw SyntaxError/],
    ['a TypeScript error', 'it.ts', { 'it.ts': 'export default (: number' }, /it\.ts cannot be read as TypeScript/],
    ['no function', 'it.js', { 'it.js': 'export const x = 1' }, /it\.js exports no function default or transform/],
    ['another module', 'it.js', { 'it.js': 'import "./other.js"; export default 1' }, /could not load module/],
    ['an endless loop', 'it.js', { 'it.js': 'for (;;);' }, /took longer than 50 ms/],
    ['no text', 'it.js', { 'it.js': 'x'.repeat(600_000) }, /has 600000 bytes/],
  ])('HOOK-010 %s stops the start', async (_what, module, files, words) => {
    expect(await refused(module, files as Record<string, string>)).toMatch(words)
  })
})
