// Runs inside the sandbox before the transform does, and holds on to what the transform could change there.

/** Evaluates to a function: the request as JSON becomes what a transform is called with. */
export const guestInput = `(() => {
  'use strict'
  const parse = JSON.parse
  const searchParams = (pairs) => ({
    get: (name) => pairs.find(([key]) => key === String(name))?.[1] ?? null,
    getAll: (name) => pairs.filter(([key]) => key === String(name)).map(([, value]) => value),
    has: (name) => pairs.some(([key]) => key === String(name)),
    keys: () => pairs.map(([key]) => key)[Symbol.iterator](),
    values: () => pairs.map(([, value]) => value)[Symbol.iterator](),
    entries: () => pairs.map((pair) => [...pair])[Symbol.iterator](),
    [Symbol.iterator]: () => pairs.map((pair) => [...pair])[Symbol.iterator](),
  })
  return (json) => {
    const { payload, headers, path, origin, pathname, query, search } = parse(json)
    const href = origin + pathname + search
    const url = { href, origin, pathname, search, searchParams: searchParams(query), toString: () => href }
    return { payload, headers, url, path }
  }
})()`
