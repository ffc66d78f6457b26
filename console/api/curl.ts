// A request to this server as a command for a shell: what empty pages teach, and what the playground copies.

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export const curlOf = (url: string, body: string, headers: readonly string[] = []): string =>
  [
    `curl ${url}`,
    '-H "Authorization: Bearer $OPENAI_API_KEY"',
    ...[...headers, 'Content-Type: application/json'].map((header) => `-H "${header}"`),
    `-d ${shellQuoted(body)}`,
  ].join(' \\\n  ')

export const curlHere = (path: string, body: object, headers?: readonly string[]): string =>
  curlOf(location.origin + path, JSON.stringify(body), headers)

export const chatExample = (model: string, more: object = {}): string =>
  curlHere('/v1/chat/completions', { model, ...more, messages: [{ role: 'user', content: 'Hello.' }] })
