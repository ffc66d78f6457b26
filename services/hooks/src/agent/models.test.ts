import { describe, expect, it } from 'vitest'
import { ActionProblem } from '../ports.ts'
import { AgentsConfig } from './config.ts'
import { chooseModel, chooseThinking } from './models.ts'

const settings = (defaults: object) => AgentsConfig.parse({ defaults }).defaults

describe('the model of a turn', () => {
  const models = ['openai/large', { model: 'house/special', alias: 'best' }, { model: 'plain' }]

  it('may be any when none are listed (HOOK-062)', () => {
    expect(chooseModel(settings({}), undefined)).toBe('gpt-4o-mini')
    expect(chooseModel(settings({}), 'other/one')).toBe('other/one')
  })

  it('must be listed when some are, by its name or its alias (HOOK-015, HOOK-058, HOOK-059, HOOK-060)', () => {
    for (const [wanted, model] of [
      ['openai/large', 'openai/large'],
      ['best', 'house/special'],
      ['house/special', 'house/special'],
      ['plain', 'plain'],
      [undefined, 'gpt-4o-mini'],
    ] as const) {
      expect(chooseModel(settings({ models }), wanted)).toBe(model)
    }
  })

  it.each(['other/one', 'large', 'Best', '', 'openai/large/x'])(
    'refuses %j and names those allowed (HOOK-061)',
    (wanted) => {
      expect(() => chooseModel(settings({ models }), wanted)).toThrow(
        new ActionProblem(`model '${wanted}' is not allowed; allowed are: openai/large, best (house/special), plain`),
      )
    },
  )

  it('thinks as much as asked, else as configured (HOOK-063)', () => {
    expect(chooseThinking(settings({ thinking: 'low' }), undefined)).toBe('low')
    expect(chooseThinking(settings({ thinking: 'low' }), 'HIGH')).toBe('high')
    expect(chooseThinking(settings({}), undefined)).toBe(undefined)
    expect(() => chooseThinking(settings({}), 'deeply')).toThrow('thinking must be off|minimal|low|medium|high')
  })
})

describe('the configuration of agents', () => {
  it.each([
    { heartbeat: { every: '5 minutes' } },
    { heartbeat: { activeHours: { start: '8:00', end: '20:00' } } },
    { heartbeat: { activeHours: { start: '08:00', end: '20:00', timezone: 'Nowhere/City' } } },
    { thinking: 'hard' },
    { tools: [{ type: 'function', name: 'send_message', url: 'http://127.0.0.1/' }] },
    { tools: [{ type: 'function', name: 'f', url: 'file:///etc/passwd' }] },
    { tools: [{ type: 'code_interpreter' }, { type: 'code_interpreter' }] },
    { tools: [{ type: 'shell' }] },
    { nonsense: true },
  ])('refuses %j', (defaults) => {
    expect(AgentsConfig.safeParse({ defaults }).success).toBe(false)
  })

  it('is complete without a word', () => {
    const { defaults } = AgentsConfig.parse({})
    expect(defaults).toMatchObject({ model: 'gpt-4o-mini', timeoutSeconds: 600, tools: [], sessionDays: 30 })
    expect(defaults.heartbeat).toMatchObject({ every: '30m', ackMaxChars: 300 })
  })
})
