import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { logDriverNames, logProblems } from './drivers.ts'

const problems = (Type: string, Config: Record<string, string> = {}) => logProblems({ Type, Config })

describe('log drivers and their options', () => {
  it('are these, and no others are taken', () => {
    const journal = existsSync('/run/systemd/journal/socket') ? ['journald'] : []
    expect(logDriverNames()).toEqual(['fluentd', 'gelf', ...journal, 'json-file', 'local', 'none', 'syslog'])
    for (const name of ['fluentd', 'journald', 'json-file', 'local', 'none']) expect(problems(name), name).toEqual([])
    for (const name of ['splunk', 'awslogs', 'gcplogs', 'acme/logger:1', 'constructor']) {
      expect(problems(name)).toEqual([`logger: no log driver named '${name}' is registered`])
    }
    expect(logProblems(undefined)).toEqual([])
  })

  it('takes the options of the forwarding driver', () => {
    const all = {
      'fluentd-address': 'tcp://10.0.0.1:24225',
      'fluentd-async': 'true',
      'fluentd-request-ack': 'true',
      'fluentd-buffer-limit': '8m',
      'fluentd-retry-wait': '1s500ms',
      'fluentd-max-retries': '7',
      'fluentd-sub-second-precision': 'false',
      'fluentd-write-timeout': '3s',
      'fluentd-read-timeout': '3s',
      'fluentd-async-reconnect-interval': '1s',
      ...{ tag: '{{.Name}}', labels: 'a,b', 'labels-regex': '^x', env: 'c', 'env-regex': '^y' },
      ...{ mode: 'non-blocking', 'max-buffer-size': '4m', 'cache-disabled': 'true', 'cache-max-file': '3' },
    }
    expect(problems('fluentd', all)).toEqual([])
    expect(problems('fluentd', { 'fluentd-async-connect': 'true' })).toEqual([])
    for (const address of ['localhost', 'localhost:1', 'tcp://[::1]:24224', 'unix:///run/f.sock', ':24224', '']) {
      expect(problems('fluentd', { 'fluentd-address': address }), address).toEqual([])
    }
  })

  it.each([
    ['json-file', { odd: '1' }, "unknown log opt 'odd' for json-file log driver"],
    ['none', { 'max-size': '1m' }, "unknown log opt 'max-size' for none log driver"],
    ['json-file', { 'fluentd-async': '1' }, "unknown log opt 'fluentd-async' for json-file log driver"],
    ['json-file', { toString: '1' }, "unknown log opt 'toString' for json-file log driver"],
    ['local', { 'max-size': 'big' }, "invalid value for max-size: 'big'"],
    ['local', { 'max-file': '0' }, "max-file cannot be less than 1: '0'"],
    ['json-file', { compress: 'maybe' }, "invalid value for compress: 'maybe'"],
    ['json-file', { compress: 'true', 'max-file': '1' }, 'compress cannot be true when max-file is less than 2'],
    ['json-file', { 'env-regex': '(' }, "invalid value for env-regex: '('"],
    ['json-file', { 'max-buffer-size': '1m' }, "only supported with 'mode=non-blocking'"],
    ['json-file', { mode: 'odd' }, 'logger: logging mode not supported: odd'],
    ['fluentd', { 'fluentd-address': 'tls://x:1' }, "invalid fluentd-address (tls://x:1): unsupported scheme: 'tls'"],
    ['fluentd', { 'fluentd-address': 'tcp://x:70000' }, "invalid port: '70000'"],
    ['fluentd', { 'fluentd-address': 'tcp://x:1/path' }, 'expected a host and a port'],
    ['fluentd', { 'fluentd-address': 'unix://f.sock' }, 'the path of a socket begins with /'],
    ['fluentd', { 'fluentd-async': 'often' }, "invalid value for fluentd-async: 'often'"],
    ['fluentd', { 'fluentd-retry-wait': '5' }, "invalid value for fluentd-retry-wait: '5'"],
    ['fluentd', { 'fluentd-max-retries': '-1' }, "invalid value for fluentd-max-retries: '-1'"],
    ['fluentd', { 'fluentd-async-reconnect-interval': '1h' }, 'expected between 100ms and 10s'],
    ['fluentd', { 'fluentd-async': '1', 'fluentd-async-connect': '1' }, 'cannot specify both'],
    ['syslog', {}, 'syslog-address is required'],
    ['syslog', { 'syslog-address': 'tcp+tls://x:1' }, "unsupported scheme: 'tcp+tls'"],
    ['syslog', { 'syslog-address': 'udp://x', 'syslog-facility': 'loud' }, "invalid value for syslog-facility: 'loud'"],
    ['syslog', { 'syslog-address': 'udp://x', 'syslog-format': 'odd' }, 'expected one of rfc3164, rfc5424'],
    ['syslog', { 'syslog-address': 'udp://x', 'syslog-tls-ca-cert': '/x' }, "unknown log opt 'syslog-tls-ca-cert'"],
  ])('%s refuses %o', (driver, options, words) => {
    expect(problems(driver, options as Record<string, string>)).toEqual([expect.stringContaining(words)])
  })
})
