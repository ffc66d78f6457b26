// The table of clients, versions and features, made of the titles of the tests that try them.

/** As `vitest list --json` names it: the titles from the outermost to the test's own. */
export interface ListedTest {
  name: string
}

const features: Record<string, RegExp> = {
  'tool loop': /closes its loop|runTools|with tools|submitToolOutputs/,
  streamed: /stream/i,
  'goes on': /\bgo(es)? on\b|conversation/,
  background: /background/,
  schema: /schema|parse|extracts/,
}

const intro = `# Compatibility

Real clients, unmodified, against a running server, in every run of the tests. A scripted model stands in for the built-in one: it makes the calls that take a client through its whole loop, which the small model would make only at times. This page is made from the titles of those tests (\`node node_modules/vitest/vitest.mjs run services/platform/src/clients/compatibility.test.ts -u\`), and a test fails when it is out of date.

| client | interface | ${Object.keys(features).join(' | ')} | what else is tried |
|---|---|${'---|'.repeat(Object.keys(features).length)}---|
`

export function compatibilityPage(tests: readonly ListedTest[]): string {
  const byClient = new Map<string, Set<string>>()
  for (const { name } of tests) {
    const [describe = '', ...title] = name.split(' > ')
    if (!describe.startsWith('client ')) continue
    const titles = byClient.get(describe) ?? new Set()
    byClient.set(describe, titles.add(title.join(' ')))
  }
  const rows = [...byClient].map(([client, titles]) => row(client, [...titles])).sort()
  return `${intro}${rows.join('\n')}\n`
}

function row(describe: string, titles: readonly string[]): string {
  const [, client = '', mode = 'chat'] = /^client (.*?)(?: in (\w+) mode)? \(SQLite\)$/.exec(describe) ?? []
  const marks = Object.values(features).map((words) => (titles.some((title) => words.test(title)) ? 'yes' : ''))
  const others = titles.filter((title) => !Object.values(features).some((words) => words.test(title)))
  return `| ${client} | ${mode} | ${marks.join(' | ')} | ${others.join('; ')} |`
}
