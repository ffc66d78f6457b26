// Which numbers are tokens of cl100k_base. Apart from the tokenizer itself, which weighs some 80 MB once loaded.
const ordinaryTokens = 100_256
const markTokens = [100_257, 100_258, 100_259, 100_260, 100_276]

export const isToken = (id: number): boolean => (id >= 0 && id < ordinaryTokens) || markTokens.includes(id)
