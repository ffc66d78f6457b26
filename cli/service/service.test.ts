// The unit that ./atoll service writes, as systemd reads it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { findProgram } from '../programs/search.ts'
import { runAtoll } from '../run-atoll.ts'
import { unitText } from './unit.ts'

const canVerify = findProgram('systemd-analyze') !== undefined

describe('./atoll service install', () => {
  it('writes a unit that starts what was asked for, and ends without ending containers', async () => {
    const folder = await tempDir()
    const data = join(folder, 'my data')
    const args = ['service', 'install', '--folder', folder, '--data', data, '--port', '9000', '--with', 'cluster']
    const { code, out, err } = await runAtoll(args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(`Wrote ${folder}/atoll.service\n`)
    const unit = readFileSync(join(folder, 'atoll.service'), 'utf8')
    expect(unit).toContain(`\nExecStart=${root}/atoll up --data "${data}" --port 9000 --only platform,hooks,cluster\n`)
    expect(unit).toContain('\nKillMode=process\n')
    expect(unit).toContain('\nRestart=on-failure\n')
    if (canVerify)
      execFileSync('systemd-analyze', ['verify', '--man=no', join(folder, 'atoll.service')], { stdio: 'pipe' })
  }, 60_000)

  it('refuses settings that a start would refuse', async () => {
    const { code, err } = await runAtoll(['service', 'install', '--folder', await tempDir(), '--port', 'http'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('port: expected a whole number') })
  }, 60_000)

  it('lets signs in paths that systemd reads be what they are', () => {
    const text = unitText({
      ...{ program: '/opt/100% "mine"/atoll', args: ['--data', '/var/$HOME'] },
      ...{ isUserUnit: true, stopSeconds: 25 },
    })
    expect(text).toContain(String.raw`ExecStart="/opt/100%% \"mine\"/atoll" up --data /var/$$HOME`)
    expect(text).toContain('WantedBy=default.target')
  })
})
