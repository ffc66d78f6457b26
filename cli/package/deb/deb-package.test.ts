// What the Debian package is made of. That it can be installed and used is in ../packages.test.ts.
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../programs/search.ts'
import { runAtoll } from '../../run-atoll.ts'
import { maintainerScripts } from './scripts.ts'
import { units } from './units.ts'

describe('the Debian package', () => {
  it('starts each service as a unit of its own, and all but the engine as the user atoll', () => {
    expect(units['atoll.service']).toContain(
      '\nExecStart=/usr/bin/atoll up --config /etc/atoll/config.json --data /var/lib/atoll --only platform,hooks\n',
    )
    const users = Object.entries(units).map(([name, text]) => [name, /^User=(.*)$/m.exec(text)?.[1]])
    expect(Object.fromEntries(users)).toEqual({
      ...{ 'atoll.service': 'atoll', 'atoll-cluster.service': 'atoll', 'atoll-engine.service': undefined },
    })
  })

  it.each(Object.entries(maintainerScripts))('has a %s that the shell can read', async (name, text) => {
    const path = join(await tempDir(), name)
    writeFileSync(path, text)
    execFileSync('sh', ['-n', path], { stdio: 'pipe' })
  })

  const hasSystemd = findProgram('systemd-analyze') !== undefined
  it.skipIf(!hasSystemd).each(Object.entries(units))(
    'has a unit %s that systemd has nothing to say against',
    async (name, text) => {
      const path = join(await tempDir(), name)
      // The program is not installed here.
      writeFileSync(path, text.replace('=/usr/bin/atoll ', '=/usr/bin/env '))
      expect(text).toContain('ExecStart=/usr/bin/atoll ')
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      })
      expect({ status, told: stdout + stderr }).toEqual({ status: 0, told: '' })
    },
  )

  const hasDpkg = findProgram('dpkg-deb') !== undefined
  it.skipIf(!hasDpkg)(
    'refuses an architecture and a compression that it does not know',
    async () => {
      expect(await runAtoll(['package', 'deb', '--arch', 'riscv64'])).toMatchObject({
        ...{ code: 1, err: 'atoll: --arch: there are amd64 and arm64.\n' },
      })
      expect(await runAtoll(['package', 'deb', '--compression', 'rar'])).toMatchObject({
        ...{ code: 1, err: 'atoll: --compression: one of xz, zstd, gzip, none.\n' },
      })
    },
    60_000,
  )
})
