// Arguments of a module, as people write them.

/** "PARTITIONS AUTO" as a list: words, or what stands in quotes. */
export const splitArguments = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, word]) => double ?? single ?? word ?? '')
