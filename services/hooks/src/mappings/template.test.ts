// The template syntax, by example and with what an attacker would try.
import { describe, expect, it } from 'vitest'
import { maxRenderedCharacters, renderTemplate, TemplateTooLong } from './template.ts'

const values = {
  path: 'ci/build',
  now: '2026-01-01T00:00:00.000Z',
  headers: { 'x-github-event': 'push' },
  query: { tab: 'all' },
  payload: JSON.parse(
    '{"a":{"b":["first",{"c":2}]},"text":"hi","yes":false,"zero":0,"nothing":null,"path":"own","dotted-key":"d","source":"mail"}',
  ) as Record<string, unknown>,
}

const rendered: [template: string, text: string][] = [
  ['{{path}} at {{now}}', 'ci/build at 2026-01-01T00:00:00.000Z'],
  ['{{headers.x-github-event}} {{headers.X-GitHub-Event}}', 'push push'],
  ['{{query.tab}}', 'all'],
  ['{{payload.a.b[0]}} {{a.b[0]}} {{a.b.0}}', 'first first first'],
  ['{{a.b[1].c}} {{ a.b[1].c }}', '2 2'],
  ['{{payload.path}}', 'own'],
  ['{{dotted-key}}', 'd'],
  ['{{yes}} {{zero}}', 'false 0'],
  ['[{{nothing}}{{missing}}{{a.b[9]}}{{text.length}}{{a[0]}}]', '[]'],
  ['{{a}}', '{"b":["first",{"c":2}]}'],
  ['{"text":{{a.b[1]}}}', '{"text":{"c":2}}'],
  ['{{#each a}}x{{/each}}', 'x'],
  ['no { braces } {{', 'no { braces } {{'],
]

describe('templates of mappings', () => {
  it.each(rendered)('HOOK-073 %s', (template, text) => {
    expect(renderTemplate(template, values)).toBe(text)
  })

  it.each([
    '{{__proto__}}',
    '{{constructor.name}}',
    '{{a.__proto__.b}}',
    '{{a.constructor}}',
    '{{a.b.constructor.prototype}}',
    '{{toString}}',
    '{{a.b.push}}',
    '{{headers.__proto__}}',
    '{{headers.constructor}}',
    '{{query.toString}}',
  ])('%s reaches nothing that is not data of the request (HOOK-073)', (template) => {
    const poisoned = { ...values, payload: JSON.parse('{"__proto__":"x","constructor":{"name":"x"},"a":{"b":[]}}') }
    expect(renderTemplate(template, values)).toBe('')
    expect(renderTemplate(template, poisoned)).toBe('')
  })

  it('does not fill in what was filled in: a payload cannot bring expressions of its own (HOOK-073)', () => {
    const payload = { text: '{{headers.x-github-event}} $& $1' }
    expect(renderTemplate('{{text}}', { ...values, payload })).toBe('{{headers.x-github-event}} $& $1')
  })

  it('refuses to grow a text without bound', () => {
    const payload = { text: 'x'.repeat(maxRenderedCharacters / 4) }
    expect(renderTemplate('{{text}}{{text}}', { ...values, payload })).toHaveLength(maxRenderedCharacters / 2)
    expect(() => renderTemplate('{{text}}'.repeat(5), { ...values, payload })).toThrow(TemplateTooLong)
  })
})
