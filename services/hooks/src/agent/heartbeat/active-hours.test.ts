import { describe, expect, it } from 'vitest'
import { isActiveAt } from './active-hours.ts'
import { durationMs } from './config.ts'
import { isEffectivelyEmpty } from './workspace.ts'

const at = (time: string) => Date.parse(`2026-06-01T${time}:00Z`)

describe('active hours', () => {
  it.each([
    ['08:00', '20:00', 'UTC', '08:00', true],
    ['08:00', '20:00', 'UTC', '07:59', false],
    ['08:00', '20:00', 'UTC', '20:00', false],
    ['08:00', '24:00', 'UTC', '23:59', true],
    ['22:00', '06:00', 'UTC', '23:30', true],
    ['22:00', '06:00', 'UTC', '05:59', true],
    ['22:00', '06:00', 'UTC', '12:00', false],
    ['08:00', '20:00', 'Europe/Berlin', '06:30', true],
    ['08:00', '20:00', 'Europe/Berlin', '18:30', false],
    ['09:00', '09:00', 'UTC', '03:00', true],
  ])('from %s to %s in %s, at %s UTC: %s', (start, end, timezone, time, isActive) => {
    expect(isActiveAt({ start, end, timezone }, at(time))).toBe(isActive)
  })

  it('are all day when none are set', () => {
    expect(isActiveAt(undefined, at('03:00'))).toBe(true)
  })
})

describe('durations', () => {
  it.each([
    ['30m', 1_800_000],
    ['0m', 0],
    ['45s', 45_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['30', undefined],
    ['-5m', undefined],
    ['5 m', undefined],
  ])('%s', (text, ms) => {
    expect(durationMs(text)).toBe(ms)
  })
})

describe('HEARTBEAT.md', () => {
  it.each(['', '\n \n', '# Things to do\n\n- \n* [ ]\n', '<!-- nothing\nyet -->\n## Later'])(
    '%j asks for nothing',
    (text) => {
      expect(isEffectivelyEmpty(text)).toBe(true)
    },
  )

  it.each(['# Do\n- look at the disk', 'Check mail', '- [ ] buy milk'])('%j asks for something', (text) => {
    expect(isEffectivelyEmpty(text)).toBe(false)
  })
})
