// Texts with places for values, such as "{count} left", in the plural form of their count.

const ISOLATE = ["\u2068", "\u2069"]; // values keep their own direction

function fill(text, values) {
  const { lang, dir } = document.documentElement;
  const form = typeof text === "string" ? text : text[new Intl.PluralRules(lang).select(values[text.by])] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (whole, name) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = values[name];
    return dir === "rtl" && typeof value === "string" ? `${ISOLATE[0]}${value}${ISOLATE[1]}` : String(value);
  });
}
