import { describe, expect, it } from 'vitest'
import { isOnlyAcknowledgement, readHeartbeatReply } from './acknowledgement.ts'

const long = 'The disk of host nine is full. '.repeat(20).trim()

describe('the reply to a heartbeat', () => {
  it.each([
    'HEARTBEAT_OK',
    '  heartbeat_ok\n',
    '**HEARTBEAT_OK**',
    '`HEARTBEAT_OK`',
    '<b>HEARTBEAT_OK</b>',
    '<p><strong>HEARTBEAT_OK</strong></p>',
    'HEARTBEAT_OK HEARTBEAT_OK',
    'HEARTBEAT_OK.',
    'All is well. HEARTBEAT_OK',
    'HEARTBEAT_OK Nothing to report.',
    'All is well. **HEARTBEAT_OK**!',
  ])('%j acknowledges: nothing is delivered', (reply) => {
    expect(readHeartbeatReply(reply, 300)).toEqual({ text: '', wasAcknowledged: true })
  })

  it('is delivered without the acknowledgement when it says more than that', () => {
    expect(readHeartbeatReply(`HEARTBEAT_OK\n${long}`, 300)).toEqual({ text: long, wasAcknowledged: true })
    expect(readHeartbeatReply(`${long} **HEARTBEAT_OK**`, 300).text).toBe(long)
    expect(readHeartbeatReply('HEARTBEAT_OK disk full', 5).text).toBe('disk full')
  })

  it.each([
    'The word HEARTBEAT_OK means that all is well.',
    'Disk full',
    'HEARTBEAT_OKAY then',
    'MY_HEARTBEAT_OK',
    'HEARTBEAT_OK_NOT',
  ])('%j is ordinary text', (reply) => {
    expect(readHeartbeatReply(reply, 300)).toEqual({ text: reply, wasAcknowledged: false })
  })

  it('may be as long as it likes and made of anything', () => {
    for (const piece of ['*', ' ', '<a>', '`', '<', 'HEARTBEAT_OK ']) {
      const reply = `${piece.repeat(100_000)}end`
      expect(readHeartbeatReply(reply, 0).text.endsWith('end')).toBe(true)
      expect(readHeartbeatReply(`end${piece.repeat(100_000)}`, 0).text.startsWith('end')).toBe(true)
    }
  })
})

describe('the reply to anything else', () => {
  it('is an acknowledgement only when it is nothing else (HOOK-053)', () => {
    expect(isOnlyAcknowledgement('**HEARTBEAT_OK**')).toBe(true)
    expect(isOnlyAcknowledgement('HEARTBEAT_OK.')).toBe(true)
    expect(isOnlyAcknowledgement('HEARTBEAT_OK all is well')).toBe(false)
    expect(isOnlyAcknowledgement('')).toBe(false)
  })
})
