// Which mapping a request is for, and what becomes of it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@atoll/kernel/telemetry/log'
import { describe, expect, it } from 'vitest'
import { HooksConfig } from '../config.ts'
import { MappingProblem } from '../ports.ts'
import { MappingsConfig } from './config.ts'
import { actionOf, openMappings, request } from './testing/mappings-fixture.ts'

const mail = {
  source: 'mail',
  messages: [
    { id: 'm1', from: 'ann@example.com', subject: 'Lunch', snippet: 'At noon?', body: 'At noon, by the sea?' },
  ],
}

describe('hooks.mappings', () => {
  it('HOOK-009 HOOK-070 the first that matches the path wins, one without match takes every path', async () => {
    const { mappings } = await openMappings({
      mappings: [
        { id: 'build', match: { path: '/ci/build/' }, messageTemplate: 'x' },
        { id: 'again', match: { path: 'ci/build' }, messageTemplate: 'x' },
        { match: { path: 'other' }, messageTemplate: 'x' },
      ],
    })
    expect(mappings.find(request('ci/build', {}))?.id).toBe('build')
    expect(mappings.find(request('other', {}))?.id).toBe('mapping-3')
    expect(mappings.find(request('ci', {}))).toBeUndefined()
    expect(mappings.find(request('ci/build/more', {}))).toBeUndefined()
    const all = await openMappings({ mappings: [{ id: 'all', messageTemplate: 'x' }] })
    expect(all.mappings.find(request('what/ever', {}))?.id).toBe('all')
  })

  it('HOOK-012 HOOK-075 match.source chooses among mappings of one path by what the body says', async () => {
    const { mappings } = await openMappings({
      mappings: [
        { id: 'shop', match: { path: 'in', source: 'shop' }, messageTemplate: 'x' },
        { id: 'mail', match: { path: 'in', source: 'mail' }, messageTemplate: 'x' },
        { id: 'any', match: { source: 'any' }, messageTemplate: 'x' },
      ],
    })
    expect(mappings.find(request('in', { source: 'mail' }))?.id).toBe('mail')
    expect(mappings.find(request('in', { source: 'shop' }))?.id).toBe('shop')
    expect(mappings.find(request('elsewhere', { source: 'any' }))?.id).toBe('any')
    for (const source of ['Mail', ' mail', ['mail'], null, undefined]) {
      expect(mappings.find(request('in', { source }))).toBeUndefined()
    }
    expect(mappings.find(request('in', Object.create({ source: 'mail' })))).toBeUndefined()
  })

  it('HOOK-071 HOOK-073 a body becomes a wake action by a template', async () => {
    const { mappings } = await openMappings({
      mappings: [
        { id: 'w', action: 'wake', wakeMode: 'next-heartbeat', textTemplate: 'Disk {{disk.name}}: {{disk.free}}' },
      ],
    })
    expect(await actionOf(mappings, 'w', request('disk', { disk: { name: 'sda', free: 3 } }))).toEqual({
      ...{ kind: 'wake', text: 'Disk sda: 3', mode: 'next-heartbeat', mapping: 'w' },
    })
  })

  it('HOOK-072 HOOK-073 HOOK-076 a body becomes an agent action with every field that a mapping can set', async () => {
    const { mappings } = await openMappings({
      mappings: [
        {
          ...{ id: 'a', name: 'CI {{repo}}', sessionKey: 'hook:ci:{{repo}}', messageTemplate: '{{path}}: {{state}}' },
          ...{ deliver: true, channel: 'irc', to: '#{{repo}}', model: '{{model}}', thinking: '{{level}}' },
          ...{ timeoutSeconds: 30, wakeMode: 'next-heartbeat' },
        },
      ],
    })
    const payload = { repo: 'atoll', state: 'red', model: 'openai/gpt-4o', level: 'low' }
    expect(await actionOf(mappings, 'a', request('ci', payload))).toEqual({
      ...{ kind: 'agent', message: 'ci: red', name: 'CI atoll', sessionKey: 'hook:ci:atoll', mapping: 'a' },
      ...{ deliver: true, channel: 'irc', to: '#atoll', model: 'openai/gpt-4o', thinking: 'low' },
      ...{ timeoutSeconds: 30, wakeMode: 'next-heartbeat' },
    })
  })

  it('HOOK-072 HOOK-077 what is not set has the defaults of the agent endpoint: channel last, a new session', async () => {
    const { mappings } = await openMappings({ mappings: [{ id: 'a', messageTemplate: '{{text}}', to: '{{nobody}}' }] })
    const action = await actionOf(mappings, 'a', request('x', { text: 'hi', sessionKey: 'main', channel: 'irc' }))
    expect(action).toEqual({
      ...{ kind: 'agent', message: 'hi', name: 'Hook', wakeMode: 'now', deliver: true, channel: 'last', mapping: 'a' },
      sessionKey: expect.stringMatching(/^hook:[0-9a-f-]{36}$/),
    })
  })

  it('HOOK-013 only the mapping lifts the safety wrapper, and that is logged; a body cannot ask for it', async () => {
    const warnings: string[] = []
    const log: Log = { debug() {}, info() {}, error() {}, warn: (_f, words) => warnings.push(words), child: () => log }
    const { mappings } = await openMappings(
      {
        mappings: [
          { id: 'safe', messageTemplate: '{{text}}' },
          { id: 'open', messageTemplate: '{{text}}', allowUnsafeExternalContent: true },
        ],
      },
      {},
      log,
    )
    const body = request('x', { text: 'hi', allowUnsafeExternalContent: true })
    expect(await actionOf(mappings, 'safe', body)).not.toHaveProperty('allowUnsafeExternalContent')
    expect(await actionOf(mappings, 'open', body)).toMatchObject({ allowUnsafeExternalContent: true })
    expect(warnings).toEqual([expect.stringMatching(/^hooks\.mappings\[1\] .*without the safety wrapper/)])
  })

  it('says what the sender left out, and makes no action of it', async () => {
    const { mappings } = await openMappings({
      mappings: [
        { id: 'message', messageTemplate: '{{text}}' },
        { id: 'text', action: 'wake', textTemplate: ' {{text}} ' },
        { id: 'nothing' },
        { id: 'key', messageTemplate: 'x', sessionKey: ' {{id}}' },
        { id: 'long', messageTemplate: 'x', sessionKey: '{{id}}' },
        { id: 'big', messageTemplate: '{{text}}{{text}}{{text}}' },
      ],
    })
    const problem = (id: string, payload = {}) =>
      actionOf(mappings, id, request('x', payload)).then(
        () => undefined,
        (error: unknown) => (error instanceof MappingProblem ? error.message : error),
      )
    expect(await problem('message')).toBe('hook mapping requires message')
    expect(await problem('text')).toBe('hook mapping requires text')
    expect(await problem('nothing')).toBe('hook mapping requires message')
    expect(await problem('key')).toMatch(/requires a sessionKey, and it came out empty/)
    expect(await problem('long', { id: 'x'.repeat(300) })).toMatch(/sessionKey may have 256 characters/)
    expect(await problem('big', { text: 'x'.repeat(100_000) })).toMatch(/too long a text/)
  })

  it('HOOK-010 takes on another configuration as a whole or not at all, and reads transforms again', async () => {
    const config = MappingsConfig.parse({ mappings: [{ id: 'it', transform: { module: 'it.js' } }] })
    const { mappings, folder } = await openMappings(config, { 'it.js': 'export default () => ({ message: "old" })' })
    await writeFile(join(folder, 'it.js'), 'export default () => ({ message: "new" })')
    expect(await actionOf(mappings, 'it', request('x'))).toMatchObject({ message: 'old' })
    await mappings.reload({ ...config, transformsDir: folder })
    expect(await actionOf(mappings, 'it', request('x'))).toMatchObject({ message: 'new' })
    await writeFile(join(folder, 'it.js'), 'export default (')
    await expect(mappings.reload({ ...config, transformsDir: folder })).rejects.toThrow(/hooks\.mappings\[0\]/)
    expect(await actionOf(mappings, 'it', request('x'))).toMatchObject({ message: 'new' })
  })
})

describe('hooks.presets', () => {
  it('HOOK-007 HOOK-079 HOOK-080 gmail makes an agent action of a mail-style body, without an entry in mappings', async () => {
    const { mappings } = await openMappings({ presets: ['gmail'] })
    expect(mappings.find(request('gmail', mail))?.id).toBe('gmail')
    const action = await actionOf(mappings, 'gmail', request('gmail', mail))
    expect(action).toMatchObject({ kind: 'agent', name: 'Gmail', sessionKey: 'hook:gmail:m1', wakeMode: 'now' })
    const { message } = action as { message: string }
    for (const part of ['ann@example.com', 'Lunch', 'At noon?', 'by the sea']) expect(message).toContain(part)
  })

  it('HOOK-079 a mail-style body is usable in a mapping of one’s own, also without ids and bodies', async () => {
    const { mappings } = await openMappings({
      presets: ['gmail'],
      mappings: [
        {
          id: 'mine',
          match: { path: 'gmail', source: 'mail' },
          messageTemplate: '{{messages[0].from}}: {{messages[0].subject}}, {{messages[0].snippet}}',
        },
      ],
    })
    expect(mappings.find(request('gmail', mail))?.id).toBe('mine') // Explicit ones come first.
    expect(mappings.find(request('gmail', { messages: [] }))?.id).toBe('gmail')
    expect(await actionOf(mappings, 'mine', request('gmail', mail))).toMatchObject({
      message: 'ann@example.com: Lunch, At noon?',
    })
  })

  it('HOOK-008 one that is not named is not there', async () => {
    const { mappings } = await openMappings({})
    expect(mappings.find(request('gmail', mail))).toBeUndefined()
  })
})

describe('what cannot be set', () => {
  const problem = (config: object) => {
    const { error } = HooksConfig.safeParse(config)
    return error?.issues.map(({ path, code }) => `${path.join('.')} ${code}`)
  }

  it.each([
    ['an unknown preset', { presets: ['fax'] }, 'presets.0 invalid_value'],
    ['an unknown field', { mappings: [{ mesageTemplate: 'x' }] }, 'mappings.0 unrecognized_keys'],
    ['an unknown action', { mappings: [{ action: 'shell' }] }, 'mappings.0.action invalid_value'],
    ['the path of wake', { mappings: [{ match: { path: '/wake' } }] }, 'mappings.0.match.path custom'],
    ['no time at all', { mappings: [{ timeoutSeconds: 0 }] }, 'mappings.0.timeoutSeconds too_small'],
    ['an unknown channel', { mappings: [{ channel: 'fax' }] }, 'mappings.0.channel invalid_value'],
    ['a folder that is no string', { transformsDir: 3 }, 'transformsDir invalid_type'],
    [
      'a module that is no string',
      { mappings: [{ transform: { module: 3 } }] },
      'mappings.0.transform.module invalid_type',
    ],
  ])('HOOK-009 HOOK-090 %s', (_what, config, expected) => {
    expect(problem(config)).toEqual([expected])
  })

  it('HOOK-009 two mappings with one id', async () => {
    const twice = {
      mappings: [
        { id: 'a', messageTemplate: 'x' },
        { id: 'a', messageTemplate: 'x' },
      ],
    }
    await expect(openMappings(twice)).rejects.toThrow('hooks.mappings[1].id: a is the id of hooks.mappings[0] too')
    const preset = { presets: ['gmail' as const], mappings: [{ id: 'gmail', messageTemplate: 'x' }] }
    await expect(openMappings(preset)).rejects.toThrow(
      'hooks.mappings[0].id: gmail is the id of hooks.presets (gmail) too',
    )
  })
})
