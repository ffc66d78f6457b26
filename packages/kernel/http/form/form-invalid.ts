/** What is wrong with a form, in a sentence for its sender. */
export class FormInvalid extends Error {}
