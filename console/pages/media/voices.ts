// The voices that the API knows by name.
const names = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer', 'verse']

export const voices = Object.fromEntries(names.map((name) => [name, name]))
