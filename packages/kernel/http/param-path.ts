// Writes the place of an input the way callers write it: `messages[0].content[1].image_url.url`.
export type PathStep = PropertyKey

const plainName = /^[^.[\]]+$/

export function paramPath(steps: readonly PathStep[], start = ''): string {
  let path = start
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`
    else if (path !== '' && plainName.test(String(step))) path += `.${String(step)}`
    else if (path === '') path = String(step)
    else path += `[${JSON.stringify(String(step))}]`
  }
  return path
}
