import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { describeClusterOnSqlite } from '../../../testing/cluster-server.ts'
import { elsewhere, here, modulePackage, sharedObject } from '../../../testing/module-packages.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Where the end record of a zip file without a comment is. */
const endOf = (zip: Bytes): number => zip.length - 22
const viewOf = (zip: Bytes): DataView => new DataView(zip.buffer)
const directoryOf = (zip: Bytes): number => viewOf(zip).getUint32(endOf(zip) + 16, true)

function changed(change: (zip: Bytes, view: DataView) => void, zip: Bytes = modulePackage()): Bytes {
  change(zip, viewOf(zip))
  return zip
}

/** Of the entry that is the n-th in the directory. */
function entryAt(zip: Bytes, which: number): number {
  const view = viewOf(zip)
  let at = directoryOf(zip)
  for (let n = 0; n < which; n++) at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true)
  return at
}

const big = Buffer.concat([sharedObject(), Buffer.alloc(8 * 1024 * 1024)])

const invalid: [what: string, bytes: () => Bytes, words: string][] = [
  ['no zip file', () => new TextEncoder().encode('no zip file at all, but long enough to be one'), 'no directory'],
  ['an empty file', () => new Uint8Array(), 'too short'],
  ['half a package', () => modulePackage().slice(0, 400), 'no directory'],
  ['no module.json', () => modulePackage({ entries: { 'module.json': undefined } }), 'no module.json'],
  ['module.json that is no JSON', () => modulePackage({ entries: { 'module.json': '{' } }), 'no JSON'],
  ['module.json that is a list', () => modulePackage({ entries: { 'module.json': '[]' } }), 'not as expected'],
  ['no name', () => modulePackage({ json: { module_name: undefined } }), 'module_name'],
  ['a name that leads elsewhere', () => modulePackage({ json: { module_name: '../../x' } }), 'module_name'],
  ['no version', () => modulePackage({ json: { semantic_version: 'new' } }), 'semantic_version'],
  ['no checksum', () => modulePackage({ json: { sha256: undefined } }), 'sha256'],
  ['another checksum', () => modulePackage({ json: { sha256: '0'.repeat(64) } }), 'SHA-256'],
  [
    'arguments with a line end',
    () => modulePackage({ json: { command_line_args: 'A 1\nport 1' } }),
    'command_line_args',
  ],
  ['no such machine', () => modulePackage({ json: { architecture: 'vax' } }), 'architecture'],
  ['a machine that is not told', () => modulePackage({ file: sharedObject(elsewhere) }), `module.json says ${here}`],
  [
    'another machine',
    () => modulePackage({ file: sharedObject(elsewhere), json: { architecture: elsewhere } }),
    `this machine is ${here}`,
  ],
  ['a machine nobody knows', () => modulePackage({ file: sharedObject('riscv64') }), 'not known here'],
  ['no shared object', () => modulePackage({ entries: { 'tally.so': undefined } }), 'tally.so'],
  ['text for a shared object', () => modulePackage({ file: Buffer.from('#!/bin/sh\n'.repeat(20)) }), 'ELF'],
  ['a short shared object', () => modulePackage({ file: Buffer.from([0x7f, 0x45, 0x4c, 0x46]) }), 'ELF'],
  ['a program', () => modulePackage({ file: changedType(sharedObject()) }), 'no shared object'],
  ['two shared objects', () => modulePackage({ json: { module_file: null }, entries: { 'b.so': 'x' } }), 'it has 2'],
  ['a way out of the package', () => modulePackage({ entries: { '../../../escaped.so': 'x' } }), 'leads out'],
  ['an absolute path', () => modulePackage({ entries: { '/tmp/escaped.so': 'x' } }), 'leads out'],
  ['a path of another system', () => modulePackage({ entries: { '..\\escaped.so': 'x' } }), 'leads out'],
  ['a link', () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 38, 0o120777 * 65_536, true)), 'is a link'],
  ['an encrypted entry', () => changed((zip, view) => view.setUint16(entryAt(zip, 1) + 8, 1, true)), 'encrypted'],
  [
    'a strange compression',
    () => changed((zip, view) => view.setUint16(entryAt(zip, 1) + 10, 14, true)),
    'not known here',
  ],
  ['another CRC', () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 16, 1, true)), 'checksum is wrong'],
  [
    'fewer bytes than told',
    () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 24, 9_999, true)),
    'not the 9999',
  ],
  [
    'an entry out of place',
    () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 42, 7, true)),
    'out of place',
  ],
  [
    'an entry beyond the end',
    () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 20, 2 ** 31, true)),
    'cut off',
  ],
  [
    'a directory elsewhere',
    () => changed((zip, view) => view.setUint32(endOf(zip) + 16, 2 ** 30, true)),
    'out of place',
  ],
  ['a directory with too little in it', () => changed((zip, view) => setCount(zip, view, 3)), 'cut off'],
  ['no entries', () => changed((zip, view) => setCount(zip, view, 0)), '0 entries'],
  [
    'bytes that cannot be unpacked',
    () => changed((zip) => zip.fill(0xff, entryData(zip, 1), entryData(zip, 1) + 9)),
    'unpacked',
  ],
  ['too many entries', () => modulePackage({ entries: manyEntries(100) }), '102 entries'],
  [
    'more bytes than told',
    () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 24, 1_000, true), modulePackage({ file: big })),
    'more than the 1000',
  ],
  [
    'a module.json that would fill the memory',
    () => modulePackage({ entries: { 'module.json': ' '.repeat(2_000_000) } }),
    '1048576 bytes at most',
  ],
  [
    'a shared object beyond all measure',
    () => changed((zip, view) => view.setUint32(entryAt(zip, 1) + 24, 2 ** 30, true)),
    '536870912 bytes at most',
  ],
]

function changedType(file: Buffer): Buffer {
  file.writeUInt16LE(2, 16)
  return file
}

function setCount(zip: Bytes, view: DataView, count: number): void {
  view.setUint16(endOf(zip) + 8, count, true)
  view.setUint16(endOf(zip) + 10, count, true)
}

function entryData(zip: Bytes, which: number): number {
  const view = viewOf(zip)
  const header = view.getUint32(entryAt(zip, which) + 42, true)
  return header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true)
}

const manyEntries = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`file-${at}`, '']))

const dependency = { plugin: { url: 'http://127.0.0.1/x.tgz', sha256: '0'.repeat(64) } }

const unfit: [json: object, code: string, words: string][] = [
  [{ os: 'Windows' }, 'os_not_supported', 'Windows'],
  [{ min_redis_pack_version: '7.10' }, 'min_redis_pack_version', 'needs cluster release 7.10'],
  [{ capabilities: ['types', 'telepathy'] }, 'unsupported_module_capabilities', 'telepathy'],
  [{ dependencies: dependency }, 'dependencies_not_supported', 'plugin'],
  [{ dependencies: { plugin: 'http://127.0.0.1/x' } }, 'invalid_dependency_data', 'dependencies'],
]

describeClusterOnSqlite('packages that are not right', (start) => {
  it('are refused as invalid_module with the reason, and nothing of them is left', async () => {
    const { admin, folder, kernel } = await start()
    for (const [what, bytes, words] of invalid) {
      const { status, body } = await admin.upload('/v2/modules', bytes())
      expect([status, body.error_code], `${what}: ${body.message}`).toEqual([400, 'invalid_module'])
      expect(body.message, what).toContain(words)
    }
    expect((await admin.call('GET', '/v1/modules')).body).toEqual([])
    expect(readdirSync(join(folder, 'cluster/modules'))).toEqual([])
    expect(existsSync(join(dirname(folder), 'escaped.so')) || existsSync('/tmp/escaped.so')).toBe(false)
    for await (const { key } of kernel.blobs.list()) expect.fail(`${key} was left`)
  })

  it('are refused with a code of their own when this cluster cannot run them, or has them', async () => {
    const { admin } = await start()
    for (const path of ['/v1/modules', '/v2/modules']) {
      for (const [json, code, words] of unfit) {
        const { status, body } = await admin.upload(path, modulePackage({ json }))
        expect([status, body.error_code], JSON.stringify(json)).toEqual([400, code])
        expect(body.message).toContain(words)
      }
    }
    expect((await admin.upload('/v2/modules', modulePackage())).status).toBe(200)
    const again = await admin.upload('/v1/modules', modulePackage())
    expect(again).toMatchObject({ status: 400, body: { error_code: 'module_exists' } })
  })

  it('must be sent at all, as the file of a form', async () => {
    const { admin } = await start()
    expect(await admin.call('POST', '/v2/modules', new FormData())).toMatchObject({ status: 400 })
    const form = new FormData()
    form.append('note', 'no file')
    expect((await admin.call('POST', '/v2/modules', form)).status).toBe(400)
    expect((await admin.upload('/v2/modules', modulePackage(), 'file')).body.message).toContain('module')
    expect((await admin.call('POST', '/v2/modules', { module: 'x' })).status).toBe(400)
    const boundary = 'the-boundary'
    const empty = await fetch(`${admin.url}/v2/modules`, {
      method: 'POST',
      headers: { ...admin.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `--${boundary}--\r\n`,
    })
    expect([empty.status, ((await empty.json()) as { error_code: string }).error_code]).toEqual([400, 'no_module'])
  })
})
