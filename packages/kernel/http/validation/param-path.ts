// Writes the place of an input the way callers write it: `messages[0].content[1].image_url.url`.
export type PathStep = PropertyKey

const plainName = /^[^.[\]]+$/
/** A name may be the caller's own, and as long as a body. */
const maxNameLetters = 256

export function paramPath(steps: readonly PathStep[], start = ''): string {
  let path = start
  for (const step of steps) {
    const name = typeof step === 'number' ? step : shortened(String(step))
    if (typeof name === 'number') path += `[${name}]`
    else if (path !== '' && plainName.test(name)) path += `.${name}`
    else if (path === '') path = name
    else path += `[${JSON.stringify(name)}]`
  }
  return path
}

const shortened = (name: string): string =>
  name.length > maxNameLetters ? `${name.slice(0, maxNameLetters).toWellFormed()}…` : name
