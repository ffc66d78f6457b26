// What is used of wink-nlp (MIT) and its English model. They are needed here alone and are no dependency of Atoll:
// npm install --no-save wink-nlp wink-eng-lite-web-model
declare module 'wink-eng-lite-web-model' {
  const model: object
  export default model
}

declare module 'wink-nlp' {
  type Helper = (index: number, ...rest: unknown[]) => unknown
  interface Tokens {
    out(helper: Helper): unknown
  }
  interface Document {
    sentences(): { each(visit: (item: { tokens(): Tokens }) => void): void }
  }
  interface Nlp {
    its: { value: Helper; pos: Helper; lemma: Helper; precedingSpaces: Helper }
    readDoc(text: string): Document
  }
  export default function winkNLP(model: object, pipe: string[]): Nlp
}
