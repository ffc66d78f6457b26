import { describe, expect, it } from 'vitest'
import { isActiveAt, nextActiveAt } from './active-hours.ts'
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

  it.each([
    ['08:00', '20:00', 'UTC', '07:59', '08:00'],
    ['08:00', '20:00', 'UTC', '03:10', '04:10'], // looks again within the hour
    ['22:00', '06:00', 'UTC', '21:30', '22:00'],
    ['00:00', '06:00', 'UTC', '23:30', '24:00'],
    ['08:00', '20:00', 'Europe/Berlin', '05:30', '06:00'],
  ])('from %s to %s in %s, looked at at %s UTC, are looked at again at %s', (start, end, timezone, time, next) => {
    const moment = next === '24:00' ? at('00:00') + 86_400_000 : at(next)
    expect(nextActiveAt({ start, end, timezone }, at(time) + 17_000)).toBe(moment)
  })

  it('need no second look while they last', () => {
    expect(nextActiveAt({ start: '08:00', end: '20:00', timezone: 'UTC' }, at('08:00'))).toBe(null)
    expect(nextActiveAt(undefined, at('03:00'))).toBe(null)
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
