import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { describeConfig } from './describe-config.ts'
import { kernelConfig } from './kernel-config.ts'
import { loadConfig } from './load-config.ts'

it('tells every setting with its source, and no secret', async () => {
  const schema = kernelConfig(['one'], ['one'])
  const file = join(await tempDir(), 'atoll.yaml')
  writeFileSync(file, 'host: 127.0.0.2\ndatabase:\n  url: postgres://me:hush@db/atoll\n')
  const env = { ATOLL_LOG_LEVEL: 'warn' }
  const described = describeConfig(schema, await loadConfig(schema, { file, env, flags: { port: '0' } }))
  const of = (key: string) => described.find((setting) => setting.key === key)
  expect(of('host')).toEqual({ key: 'host', value: '"127.0.0.2"', source: `${file}:1` })
  expect(of('log.level')).toEqual({ key: 'log.level', value: '"warn"', source: 'ATOLL_LOG_LEVEL' })
  expect(of('port')).toEqual({ key: 'port', value: '0', source: '--port' })
  expect(of('database.url')).toEqual({ key: 'database.url', value: null, source: `${file}:3` })
  expect(of('services')).toEqual({ key: 'services', value: '["one"]', source: null })
  expect(JSON.stringify(described)).not.toContain('hush')
})
