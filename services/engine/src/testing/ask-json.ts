// Asks a route as a client would, and reads what it answers as JSON where it says that it is.
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
}

export async function askJson(method: string, url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
}
