// Who writes a number or a date in the manner of a language loads 5 MB of locale data: a start does without.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../places.ts'

/** Says who asked for it, and does it all the same. */
const spy = `
const says = (name, call) => function (...args) {
  process.stderr.write(new Error('locale data: ' + name).stack + '\\n')
  return new.target ? Reflect.construct(call, args) : call.apply(this, args)
}
for (const type of [Number, Date]) type.prototype.toLocaleString = says(type.name, type.prototype.toLocaleString)
String.prototype.localeCompare = says('String', String.prototype.localeCompare)
for (const name of ['NumberFormat', 'DateTimeFormat', 'Collator']) Intl[name] = says(name, Intl[name])`

const run = (...args: string[]) =>
  spawnSync(process.execPath, [`--import=data:text/javascript,${encodeURIComponent(spy)}`, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })

it('is not loaded by a start of platform and hooks', () => {
  expect(run('--eval', '(1000).toLocaleString()').stderr).toContain('locale data: Number')
  const { status, stderr } = run(join(root, 'cli', 'up', 'rehearse.ts'))
  expect(stderr).not.toContain('locale data')
  expect(status, stderr).toBe(0)
})
