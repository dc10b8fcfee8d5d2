/*
 * Checks a proof bundle of Weighbridge: a second implementation of docs/reference/proof-bundle.md.
 *
 * It shares no code with the service. What it needs is in this file: decimals of 34 digits, units, the ZIP
 * format, the tables, YAML, the language of models, and the calculation of batches. It uses WebCrypto for
 * SHA-256, SHA-512 and Ed25519, and nothing else.
 *
 *     node bundle-check.js first-quarter.zip --key "$(cat plant.vkey)"
 *     node bundle-check.js first-quarter.zip --key KEY --witness KEY --witness KEY --at-least 2 --keys keys.json
 *
 * In a browser, bundle-check.html loads it; a script can call `checkBundle(bytes, keyText, trust)`, which resolves
 * to { faults: [{ part, sentence }], counts, runs, gaps, cosigners, opinions, notChecked }. A bundle without faults is one that the service made,
 * except for what `notChecked` lists.
 *
 * Read it from the top: numbers, units, archive, signatures, rows, models, formulas, slots, ledgers, the log.
 */
"use strict";
(() => {
  /** What this program leaves open, which the first checker compares. */
  const NOT_CHECKED = [
    "report.html: its content is not made again from the other parts. Its digest is signed.",
    "models/*.yaml: a document is read as far as its calculation needs it, and not judged beyond that.",
  ];

  class Unreadable extends Error {}
  class NoResult extends Error {}

  function refuse(sentence) {
    throw new Unreadable(sentence);
  }
  function requireThat(holds, sentence) {
    if (!holds) refuse(sentence);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Numbers: a whole number times a power of ten, exact; operations of formulas round to 34 digits, half to even.
  // ---------------------------------------------------------------------------------------------------------

  const DIGITS = 34,
    EXPONENT_MAX = 100;
  const powersOfTen = [1n];
  function tenTo(n) {
    while (powersOfTen.length <= n) powersOfTen.push(powersOfTen[powersOfTen.length - 1] * 10n);
    return powersOfTen[n];
  }
  const absolute = (n) => (n < 0n ? -n : n);
  const countDigits = (n) => absolute(n).toString().length;

  /** A decimal: coefficient * 10^exponent, without zeros at the end of the coefficient. */
  class Dec {
    constructor(coefficient, exponent = 0) {
      if (coefficient === 0n) exponent = 0;
      else
        while (coefficient % 10n === 0n) {
          coefficient /= 10n;
          exponent += 1;
        }
      this.c = coefficient;
      this.e = exponent;
    }
    get isZero() {
      return this.c === 0n;
    }
    /** The exponent of its first digit. */
    get adjusted() {
      return countDigits(this.c) + this.e - 1;
    }
    get isWhole() {
      return this.e >= 0;
    }
    /** How many units of 10^-places it has; exact only if it has no more places. */
    scaled(places) {
      const shift = this.e + places;
      return shift >= 0 ? this.c * tenTo(shift) : this.c / tenTo(-shift);
    }
    /** All digits, no exponent, no redundant zeros. */
    toString() {
      if (this.e >= 0) return (this.c * tenTo(this.e)).toString();
      const digits = absolute(this.c)
          .toString()
          .padStart(1 - this.e, "0"),
        at = digits.length + this.e;
      return `${this.c < 0n ? "-" : ""}${digits.slice(0, at)}.${digits.slice(at)}`;
    }
  }

  const ZERO = new Dec(0n),
    ONE = new Dec(1n),
    TWO = new Dec(2n),
    MINUS_ONE = new Dec(-1n);

  /** Read a number as people, JSON and YAML write it. */
  function parseDec(text) {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
    requireThat(found && (found[2] || found[3]), `${text} is no number.`);
    const places = found[3] ?? "",
      coefficient = BigInt(found[2] + places || "0");
    return new Dec(found[1] === "-" ? -coefficient : coefficient, Number(found[4] ?? 0) - places.length);
  }

  function align(a, b) {
    const e = Math.min(a.e, b.e);
    return [a.c * tenTo(a.e - e), b.c * tenTo(b.e - e), e];
  }
  const exactAdd = (a, b) => {
    const [x, y, e] = align(a, b);
    return new Dec(x + y, e);
  };
  const negate = (a) => new Dec(-a.c, a.e);
  const exactSubtract = (a, b) => exactAdd(a, negate(b));
  const exactMultiply = (a, b) => new Dec(a.c * b.c, a.e + b.e);
  const exactTotal = (numbers) => numbers.reduce(exactAdd, ZERO);
  const magnitude = (a) => (a.c < 0n ? negate(a) : a);
  function compare(a, b) {
    const [x, y] = align(a, b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const equal = (a, b) => a.c === b.c && a.e === b.e;
  const least = (numbers) => numbers.reduce((a, b) => (compare(b, a) < 0 ? b : a));
  const greatest = (numbers) => numbers.reduce((a, b) => (compare(b, a) > 0 ? b : a));

  /** n / d as a whole number, by a mode; d is above zero. */
  function divideRounded(n, d, mode) {
    let quotient = n / d,
      rest = n % d;
    if (rest === 0n) return quotient;
    const away = n < 0n ? -1n : 1n,
      twice = absolute(rest) * 2n;
    const half = twice > d ? 1 : twice < d ? -1 : 0;
    const grows = {
      half_even: half > 0 || (half === 0 && quotient % 2n !== 0n),
      half_up: half >= 0,
      half_down: half > 0,
      up: true,
      down: false,
      floor: away < 0n,
      ceiling: away > 0n,
    }[mode];
    return grows ? quotient + away : quotient;
  }

  /** Round to places after the point, by a mode. */
  function roundTo(a, places, mode = "half_even") {
    return a.e >= -places ? a : new Dec(divideRounded(a.c, tenTo(-places - a.e), mode), -places);
  }

  /** Round to so many digits; beyond 10^100 there is no result, below 10^-100 digits are lost, as in decimal128. */
  function rounded(a, digits = DIGITS) {
    const over = countDigits(a.c) - digits,
      smallest = -EXPONENT_MAX - digits + 1;
    const cut = Math.max(over, a.isZero ? 0 : smallest - a.e);
    const result = cut > 0 ? new Dec(divideRounded(a.c, tenTo(cut), "half_even"), a.e + cut) : a;
    if (!result.isZero && result.adjusted > EXPONENT_MAX) throw new NoResult(`The result is beyond 1e${EXPONENT_MAX}.`);
    return result;
  }
  const add = (a, b) => rounded(exactAdd(a, b));
  const subtract = (a, b) => rounded(exactSubtract(a, b));
  const multiply = (a, b) => rounded(exactMultiply(a, b));
  const total = (numbers) => rounded(exactTotal(numbers));

  /** A quotient, rounded once: of some digits more, the last of which tells if there was a remainder. */
  function quotient(a, b, digits = DIGITS) {
    if (b.isZero) throw new NoResult("The divisor is zero.");
    if (a.isZero) return ZERO;
    const shift = Math.max(0, digits + 3 + countDigits(b.c) - countDigits(a.c));
    const n = a.c * tenTo(shift),
      d = absolute(b.c),
      sign = b.c < 0n ? -1n : 1n;
    let whole = n / d;
    if (n % d !== 0n) whole = whole * 10n + (n < 0n ? -1n : 1n);
    else whole *= 10n;
    return rounded(new Dec(sign * whole, a.e - b.e - shift - 1), digits);
  }
  const divide = (a, b) => quotient(a, b);

  /** The whole square root. */
  function wholeRoot(n) {
    if (n < 2n) return n;
    let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
    for (;;) {
      const y = (x + n / x) >> 1n;
      if (y >= x) return x;
      x = y;
    }
  }
  function squareRoot(a) {
    if (a.c < 0n) throw new NoResult(`sqrt needs a number not below zero; this is ${a}.`);
    if (a.isZero) return ZERO;
    let shift = Math.max(0, 2 * DIGITS + 6 - countDigits(a.c));
    if ((a.e - shift) % 2 !== 0) shift += 1;
    const n = a.c * tenTo(shift),
      root = wholeRoot(n);
    return rounded(new Dec(root * 10n + (root * root === n ? 0n : 1n), (a.e - shift) / 2 - 1));
  }

  // Exponential and logarithm: series with whole numbers of many more places than are kept.
  const GUARD = 90;

  /** A decimal in units of 10^-places, cut. */
  function fixed(a, places) {
    const shift = a.e + places;
    return shift >= 0 ? a.c * tenTo(shift) : a.c / tenTo(-shift);
  }
  /** ln(n/d) in units of 10^-places for n/d near 1: 2 * atanh((n-d)/(n+d)). */
  function fixedNaturalLog(n, d, places) {
    const one = tenTo(places),
      z = ((n - d) * one) / (n + d),
      square = (z * z) / one;
    let sum = 0n,
      term = z;
    for (let k = 1n; term !== 0n; k += 2n) {
      sum += term / k;
      term = (term * square) / one;
    }
    return 2n * sum;
  }
  function fixedNaturalLogOfDec(a, places) {
    // a = m * 10^k with m from 1 on and below 10; m is brought near 1 by halving.
    const digits = countDigits(a.c),
      k = digits - 1 + a.e;
    let n = a.c,
      d = tenTo(digits - 1),
      halved = 0n;
    while (n > d + d / 2n) {
      d *= 2n;
      halved += 1n;
    }
    const ln2 = fixedNaturalLog(4n, 3n, places) + fixedNaturalLog(3n, 2n, places);
    const ln10 = 3n * ln2 + fixedNaturalLog(5n, 4n, places);
    return fixedNaturalLog(n, d, places) + halved * ln2 + BigInt(k) * ln10;
  }
  function naturalLog(a) {
    if (a.c <= 0n) throw new NoResult(`ln needs a number above zero; this is ${a}.`);
    return rounded(new Dec(fixedNaturalLogOfDec(a, GUARD), -GUARD));
  }
  function commonLog(a) {
    if (a.c <= 0n) throw new NoResult(`log10 needs a number above zero; this is ${a}.`);
    if (a.c === 1n) return new Dec(BigInt(a.e));
    const n = fixedNaturalLogOfDec(a, GUARD),
      ten = fixedNaturalLogOfDec(new Dec(1n, 1), GUARD);
    return rounded(new Dec((n * tenTo(GUARD)) / ten, -GUARD));
  }
  /** e^x for x in units of 10^-places. */
  function exponentialOf(x, places) {
    const one = tenTo(places),
      ten = fixedNaturalLogOfDec(new Dec(1n, 1), places);
    let k = x / ten;
    if (x % ten < 0n) k -= 1n;
    const halvings = 64n,
      reduced = (x - k * ten) >> halvings;
    let sum = one,
      term = one;
    for (let n = 1n; term !== 0n; n += 1n) {
      term = (term * reduced) / one / n;
      sum += term;
    }
    for (let i = 0n; i < halvings; i += 1n) sum = (sum * sum) / one;
    return new Dec(sum, Number(k) - places);
  }
  function exponential(a) {
    if (a.isZero) return ONE;
    if (a.adjusted > 4) {
      if (a.c < 0n) return ZERO;
      throw new NoResult(`The result is beyond 1e${EXPONENT_MAX}.`);
    }
    return rounded(exponentialOf(fixed(a, GUARD + 30), GUARD + 30));
  }
  function raiseWhole(base, exponent) {
    if (base.isZero && exponent <= 0) throw new NoResult(`Zero has no power with the exponent ${exponent}.`);
    const exact = new Dec(base.c ** BigInt(Math.abs(exponent)), base.e * Math.abs(exponent));
    return exponent >= 0 ? rounded(exact) : quotient(ONE, exact);
  }
  function raise(base, exponent) {
    if (compare(magnitude(exponent), new Dec(64n)) > 0) throw new NoResult("The exponent is beyond 64.");
    if (exponent.isWhole) return raiseWhole(base, Number(exponent.scaled(0)));
    if (base.c < 0n) throw new NoResult(`${base} is below zero and has no power with a fraction as its exponent.`);
    if (base.isZero) return raiseWhole(base, exponent.c > 0n ? 1 : -1);
    const places = GUARD + 60,
      logarithm = fixedNaturalLogOfDec(base, places);
    return rounded(exponentialOf((logarithm * fixed(exponent, places)) / tenTo(places), places));
  }
  function average(numbers) {
    return divide(exactTotal(numbers), new Dec(BigInt(numbers.length)));
  }
  function median(numbers) {
    const ordered = [...numbers].sort(compare),
      middle = ordered.length >> 1;
    return ordered.length % 2 ? ordered[middle] : average(ordered.slice(middle - 1, middle + 1));
  }

  /** Exact fractions, for the factors of units and parts of time. */
  function greatestDivisor(a, b) {
    a = absolute(a);
    b = absolute(b);
    while (b) [a, b] = [b, a % b];
    return a;
  }
  function fraction(n, d = 1n) {
    if (d < 0n) {
      n = -n;
      d = -d;
    }
    const common = greatestDivisor(n, d) || 1n;
    return { n: n / common, d: d / common };
  }
  const multiplyFractions = (a, b) => fraction(a.n * b.n, a.d * b.d);
  const divideFractions = (a, b) => fraction(a.n * b.d, a.d * b.n);
  const subtractFractions = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
  function parseFraction(text) {
    const [n, d = "1"] = text.split("/");
    return fraction(BigInt(n), BigInt(d));
  }
  function fractionPower(a, k) {
    const power = { n: a.n ** BigInt(Math.abs(k)), d: a.d ** BigInt(Math.abs(k)) };
    return k >= 0 ? power : fraction(power.d, power.n);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Units: `t{CO2e}/kWh`. A tag is a dimension of its own. Factors are exact; degC and degF have an offset.
  // ---------------------------------------------------------------------------------------------------------

  const MISLEADING_UNITS = new Set(["kt", "ton", "Nm", "bbl", "pH"]);
  const UNIT_MAX = 10n ** 1000n;
  let unitTable;
  function readUnitTable() {
    const table = { prefixes: new Map(), units: new Map() };
    for (const line of UNIT_TABLE.split("\n").filter(Boolean)) {
      const [names, ...rest] = line.split("\t");
      if (names.endsWith("-")) table.prefixes.set(names.slice(0, -1), parseFraction(rest[0]));
      else for (const name of names.split(" ")) table.units.set(name, rest);
    }
    return table;
  }
  function readMeaning([factor, offset, dimensions]) {
    if (!factor) return null;
    const powers = dimensions
      .split(" ")
      .filter(Boolean)
      .map((part) => part.split("^"));
    return {
      factor: parseFraction(factor),
      offset: parseFraction(offset),
      dimensions: powers.map(([name, power]) => [name, Number(power)]),
    };
  }
  /** What a name means: the whole name first, then each prefix before each unit, then the same with an `s`. */
  function findMeaning(written) {
    unitTable ??= readUnitTable();
    if (written === "%") written = "percent";
    if (written === "mmBtu") {
      const btu = findMeaning("Btu");
      return { ...btu, factor: multiplyFractions(btu.factor, fraction(1000000n)) };
    }
    const name = written.replaceAll("°", "degree");
    if (unitTable.units.has(name)) return readMeaning(unitTable.units.get(name));
    for (const ending of ["", "s"]) {
      for (const prefix of ["", ...unitTable.prefixes.keys()]) {
        if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
        let stem = name.slice(prefix.length);
        if (ending && stem.endsWith(ending)) stem = stem.slice(0, -1);
        if (!unitTable.units.has(stem) || (ending && stem.length === 1)) continue;
        const meaning = readMeaning(unitTable.units.get(stem));
        if (!prefix || !meaning) return meaning;
        if (meaning.offset.n) return null;
        return { ...meaning, factor: multiplyFractions(meaning.factor, unitTable.prefixes.get(prefix)) };
      }
    }
    return null;
  }

  /** A unit of gathered symbols with their powers. */
  function buildUnit(parts, written) {
    const gathered = new Map();
    for (const [symbol, power] of parts) gathered.set(symbol, (gathered.get(symbol) ?? 0) + power);
    for (const [symbol, power] of [...gathered]) if (power === 0) gathered.delete(symbol);
    const dimensions = new Map();
    let factor = fraction(1n),
      offset = fraction(0n);
    for (const [symbol, power] of gathered) {
      const brace = symbol.indexOf("{"),
        name = brace < 0 ? symbol : symbol.slice(0, brace);
      const own = [];
      if (brace >= 0) own.push([symbol.slice(brace), 1]);
      if (name) {
        requireThat(!MISLEADING_UNITS.has(name), `${name} is not accepted as a unit.`);
        const meaning = findMeaning(name);
        requireThat(meaning, `${name} is not a known unit.`);
        own.push(...meaning.dimensions);
        factor = multiplyFractions(factor, fractionPower(meaning.factor, power));
        const isLarge = factor.n > UNIT_MAX * factor.d,
          isSmall = factor.n * UNIT_MAX < factor.d;
        requireThat(!isLarge && !isSmall, `The unit ${symbol} is larger or smaller than anything measured.`);
        if (meaning.offset.n) {
          requireThat(gathered.size === 1 && power === 1, `${symbol} has an offset and is used alone only.`);
          offset = meaning.offset;
        }
      }
      for (const [dimension, times] of own) dimensions.set(dimension, (dimensions.get(dimension) ?? 0) + times * power);
    }
    const kept = [...dimensions].filter(([, power]) => power).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      text: written ?? "",
      parts: [...gathered],
      dimensions: kept.map(([name, power]) => `${name}^${power}`).join(" "),
      factor,
      offset,
    };
  }
  const PLAIN_UNIT = { text: "", parts: [], dimensions: "", factor: fraction(1n), offset: fraction(0n) };
  const parsedUnits = new Map();
  function parseUnit(text) {
    const stripped = (text ?? "").trim();
    if (["", "1", "dimensionless"].includes(stripped)) return PLAIN_UNIT;
    if (!parsedUnits.has(stripped)) parsedUnits.set(stripped, buildUnit(readUnitText(stripped), stripped));
    return parsedUnits.get(stripped);
  }
  /** Factors with powers, `*`, `/` and parentheses, from left to right. */
  function readUnitText(text) {
    const token =
      /\s*(?:([A-Za-zµμ°Ω_][A-Za-zµμ°Ω_0-9]*|%)?(\{[^{}]*\})?([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?:\s*(?:\^|\*\*)\s*([+-]?\d{1,3}))?)/y;
    const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let at = 0;
    const take = (characters) => {
      while (at < text.length && /\s/.test(text[at])) at += 1;
      return at < text.length && characters.includes(text[at]) ? text[at++] : "";
    };
    const readFactor = () => {
      if (take("(")) {
        const parts = readProduct();
        requireThat(take(")"), `${text} is no unit.`);
        return parts;
      }
      if (take("1")) return [];
      token.lastIndex = at;
      const found = token.exec(text);
      requireThat(found && (found[1] || found[2]), `${text} is no unit.`);
      at = token.lastIndex;
      let name = found[1] ?? "",
        power = 1;
      const trailing = /^(.*?)(\d{1,2})$/.exec(name);
      if (trailing && !findMeaning(name) && findMeaning(trailing[1])) {
        name = trailing[1];
        power = Number(trailing[2]);
      }
      if (found[3])
        power *= Number([...found[3]].map((one) => (one === "⁻" ? "-" : superscripts.indexOf(one))).join(""));
      if (found[4]) power *= Number(found[4]);
      const tag = found[2] ? `{${found[2].slice(1, -1).trim()}}` : "";
      return [[name + tag, power]];
    };
    const readProduct = () => {
      const parts = [...readFactor()];
      for (let sign; (sign = take("*·/"));)
        parts.push(...readFactor().map(([symbol, power]) => [symbol, sign === "/" ? -power : power]));
      return parts;
    };
    const parts = readProduct();
    requireThat(at === text.length, `${text} is no unit.`);
    return parts;
  }
  /** A unit as text: what is above the line, then each of what is below. */
  function writeUnit(unit) {
    const write = ([symbol, power]) => (power === 1 ? symbol : `${symbol}^${power}`);
    const above = (unit?.parts ?? []).filter(([, power]) => power > 0).map(write);
    const below = (unit?.parts ?? [])
      .filter(([, power]) => power < 0)
      .map(([symbol, power]) => `/${write([symbol, -power])}`);
    return (above.join("*") || (below.length ? "1" : "")) + below.join("");
  }
  const isAbsolute = (unit) => unit.offset.n === 0n;
  const absoluteUnit = (unit) => (isAbsolute(unit) ? unit : parseUnit("K"));
  const multiplyUnits = (a, b) => buildUnit([...absoluteUnit(a).parts, ...absoluteUnit(b).parts]);
  const divideUnits = (a, b) =>
    buildUnit([...absoluteUnit(a).parts, ...absoluteUnit(b).parts.map(([symbol, power]) => [symbol, -power])]);
  const powerUnit = (unit, k) => buildUnit(absoluteUnit(unit).parts.map(([symbol, power]) => [symbol, power * k]));
  function rootUnit(unit) {
    requireThat(
      unit.parts.every(([, power]) => power % 2 === 0),
      `The square root of ${unit.text} has no unit.`,
    );
    return buildUnit(unit.parts.map(([symbol, power]) => [symbol, power / 2]));
  }
  const sameUnit = (a, b) =>
    a === b ||
    (a.factor.n === b.factor.n && a.factor.d === b.factor.d && a.offset.n === b.offset.n && a.offset.d === b.offset.d);

  /** target = (source * slope + shift) / divisor, in whole numbers. */
  function findConversion(source, target) {
    requireThat(
      source.dimensions === target.dimensions,
      `${source.text || "1"} cannot be converted to ${target.text || "1"}.`,
    );
    const slope = divideFractions(source.factor, target.factor);
    const shift = divideFractions(subtractFractions(source.offset, target.offset), target.factor);
    const divisor = slope.d * shift.d;
    return [new Dec(slope.n * shift.d), new Dec(shift.n * slope.d), new Dec(divisor)];
  }
  function convert(value, source, target) {
    const [slope, shift, divisor] = findConversion(source, target);
    return divide(exactAdd(exactMultiply(value, slope), shift), divisor);
  }
  /** How fast a number in the target unit changes with that in the source unit. */
  function findSlope(source, target) {
    if (source.factor.n === target.factor.n && source.factor.d === target.factor.d) return ONE;
    const [slope, , divisor] = findConversion(source, target);
    return divide(slope, divisor);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Findings, bytes and digests.
  // ---------------------------------------------------------------------------------------------------------

  const FAULTS_MAX = 100;
  class Faults {
    constructor() {
      this.list = [];
      this.count = 0;
    }
    add(part, sentence) {
      this.count += 1;
      if (this.list.length < FAULTS_MAX) this.list.push({ part, sentence });
    }
  }

  const encoder = new TextEncoder();
  const toUtf8 = (text) => encoder.encode(text);
  function fromUtf8(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return refuse("it is no UTF-8");
    }
  }
  function concatenate(...pieces) {
    const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
  function sameBytes(a, b) {
    if (a.length !== b.length) return false;
    for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
    return true;
  }
  const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const digestOf = async (kind, bytes) => new Uint8Array(await crypto.subtle.digest(kind, bytes));
  const sha256 = (bytes) => digestOf("SHA-256", bytes);
  const sha256Hex = async (bytes) => toHex(await sha256(bytes));

  function toBase64(bytes) {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  }
  /** Base64 has one way only to write each content. */
  function fromBase64(text) {
    let bytes;
    try {
      bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    } catch {
      bytes = null;
    }
    requireThat(bytes && toBase64(bytes) === text, `${text.slice(0, 60)} is not Base64.`);
    return bytes;
  }

  // ---------------------------------------------------------------------------------------------------------
  // The archive: every byte follows from the names and the contents of the parts.
  // ---------------------------------------------------------------------------------------------------------

  const LONG = 0xffffffff,
    MANY = 0xffff,
    PARTS_MAX = 200000,
    NAME_MAX = 200;
  const PART_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/;
  const FIXED_DATE = 0x21,
    PLAIN_VERSION = 20,
    ZIP64_VERSION = 45,
    UNIX = 3,
    FILE_MODE = 0o100644 * 65536;

  const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    return crc;
  });
  function computeCrc(bytes) {
    let crc = ~0;
    for (let at = 0; at < bytes.length; at += 1) crc = CRC_TABLE[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
  }

  /** Numbers in little-endian order, each given as [value, bytes]. */
  function pack(...numbers) {
    const bytes = [];
    for (const [value, size] of numbers) {
      for (let left = BigInt(value), at = 0; at < size; at += 1, left >>= 8n) bytes.push(Number(left & 255n));
    }
    return Uint8Array.from(bytes);
  }
  function writeLocalHeader({ name, size, crc }) {
    const isLong = size >= LONG,
      shown = isLong ? LONG : size;
    const extra = isLong ? pack([1, 2], [16, 2], [size, 8], [size, 8]) : new Uint8Array();
    return concatenate(
      pack(
        [0x04034b50, 4],
        [isLong ? ZIP64_VERSION : PLAIN_VERSION, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [FIXED_DATE, 2],
        [crc, 4],
        [shown, 4],
        [shown, 4],
        [name.length, 2],
        [extra.length, 2],
      ),
      toUtf8(name),
      extra,
    );
  }
  function writeDirectoryEntry({ name, size, crc }, place) {
    const wide = [size, size, place].filter((number) => number >= LONG);
    const extra = wide.length
      ? pack([1, 2], [8 * wide.length, 2], ...wide.map((number) => [number, 8]))
      : new Uint8Array();
    const version = wide.length ? ZIP64_VERSION : PLAIN_VERSION,
      shown = Math.min(size, LONG);
    return concatenate(
      pack(
        [0x02014b50, 4],
        [version, 1],
        [UNIX, 1],
        [version, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [FIXED_DATE, 2],
        [crc, 4],
        [shown, 4],
        [shown, 4],
        [name.length, 2],
        [extra.length, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [FILE_MODE, 4],
        [Math.min(place, LONG), 4],
      ),
      toUtf8(name),
      extra,
    );
  }
  function writeDirectory(parts) {
    const entries = [];
    let place = 0;
    for (const part of parts) {
      entries.push(writeDirectoryEntry(part, place));
      place += writeLocalHeader(part).length + part.size;
    }
    const directory = concatenate(...entries),
      size = directory.length,
      count = parts.length;
    let wide = new Uint8Array();
    if (count >= MANY || size >= LONG || place >= LONG) {
      wide = concatenate(
        pack(
          [0x06064b50, 4],
          [44, 8],
          [ZIP64_VERSION, 1],
          [UNIX, 1],
          [ZIP64_VERSION, 2],
          [0, 4],
          [0, 4],
          [count, 8],
          [count, 8],
          [size, 8],
          [place, 8],
        ),
        pack([0x07064b50, 4], [0, 4], [place + size, 8], [1, 4]),
      );
    }
    const few = Math.min(count, MANY);
    return concatenate(
      directory,
      wide,
      pack(
        [0x06054b50, 4],
        [0, 2],
        [0, 2],
        [few, 2],
        [few, 2],
        [Math.min(size, LONG), 4],
        [Math.min(place, LONG), 4],
        [0, 2],
      ),
    );
  }

  /** The parts by their names. The file has to be, byte for byte, what its parts make. */
  function readParts(file) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const parts = [],
      contents = new Map();
    let place = 0;
    while (place + 4 <= file.length && view.getUint32(place, true) === 0x04034b50) {
      const part = readLocalHeader(file, view, place),
        last = parts[parts.length - 1];
      requireThat(
        !last || last.name < part.name,
        `${part.name} does not come after ${last?.name}: parts are sorted, each once.`,
      );
      requireThat(parts.length < PARTS_MAX, "The file has too many parts.");
      place = part.start + part.size;
      contents.set(part.name, file.subarray(part.start, place));
      parts.push(part);
    }
    requireThat(parts.length, "The file is no bundle: it does not begin with a part.");
    for (const part of parts) {
      requireThat(
        computeCrc(contents.get(part.name)) === part.crc,
        `The content of ${part.name} has another checksum.`,
      );
    }
    requireThat(
      sameBytes(file.subarray(place), writeDirectory(parts)),
      "What follows the last part is not the directory that the parts make.",
    );
    return contents;
  }
  function readLocalHeader(file, view, place) {
    requireThat(file.length >= place + 30, "The file ends within the header of a part.");
    requireThat(view.getUint16(place + 8, true) === 0, `The part at byte ${place} is compressed.`);
    const length = view.getUint16(place + 26, true),
      behind = place + 30 + length;
    const name = Array.from(file.subarray(place + 30, Math.min(behind, place + 31 + NAME_MAX)), (one) =>
      String.fromCharCode(one),
    ).join("");
    requireThat(length <= NAME_MAX && PART_NAME.test(name), `${name.slice(0, 40)} is no name of a part.`);
    let size = view.getUint32(place + 22, true);
    if (size === LONG && view.getUint16(place + 28, true) === 20 && file.length >= behind + 20)
      size = Number(view.getBigUint64(behind + 12, true));
    const part = { name, size, crc: view.getUint32(place + 14, true) },
      header = writeLocalHeader(part);
    requireThat(
      sameBytes(file.subarray(place, place + header.length), header),
      `The header of ${name} is not the one that its name and its content make.`,
    );
    requireThat(place + header.length + size <= file.length, `The file ends before the end of ${name}.`);
    return { ...part, start: place + header.length };
  }

  // ---------------------------------------------------------------------------------------------------------
  // What vouches for a bundle: the signature over the digests, and the signed head over rows of the audit log.
  // ---------------------------------------------------------------------------------------------------------

  /** What C2SP signed-note calls signatures of Ed25519, and those of witnesses, which have a time. */
  const ED25519 = 1,
    COSIGNATURE = 4;
  /** A key in one line, `name+id+base64`: the id is that of C2SP signed-note, the first byte the kind. */
  async function readKey(text, kind = ED25519) {
    const [name = "", id = "", ...rest] = text.trim().split("+"),
      encoded = rest.join("+");
    let bytes;
    try {
      bytes = fromBase64(encoded);
    } catch {
      bytes = new Uint8Array();
    }
    const keyId = (await sha256(concatenate(toUtf8(`${name}\n`), bytes))).subarray(0, 4);
    const isKey = bytes.length === 33 && bytes[0] === kind && toHex(keyId) === id && name && !/\s/.test(name);
    requireThat(
      isKey,
      `${text.trim().slice(0, 200)} is no verifier key; one is a name, +, eight hexadecimal digits, + and Base64.`,
    );
    const imported = await crypto.subtle.importKey("raw", bytes.subarray(1), { name: "Ed25519" }, false, ["verify"]);
    const verify = (content, signature) =>
      signature.length === 64 ? crypto.subtle.verify("Ed25519", imported, signature, content) : false;
    return { name, keyId, public: bytes.subarray(1), verify, text: text.trim() };
  }

  const sshString = (bytes) => concatenate(pack([bytes.length, 4]).reverse(), bytes);
  /** SSHSIG: the signed message, and the armour that holds key, namespace and signature. */
  async function verifySshSignature(content, armour, key, namespace) {
    const scope = concatenate(sshString(toUtf8(namespace)), sshString(new Uint8Array()), sshString(toUtf8("sha512")));
    let blob;
    try {
      blob = fromBase64(armour.split("\n").slice(1, -2).join(""));
    } catch {
      blob = new Uint8Array();
    }
    const made = blob.subarray(Math.max(0, blob.length - 64)),
      kind = sshString(toUtf8("ssh-ed25519"));
    const expected = toBase64(
      concatenate(
        toUtf8("SSHSIG"),
        pack([1, 4]).reverse(),
        sshString(concatenate(kind, sshString(key.public))),
        scope,
        sshString(concatenate(kind, sshString(made))),
      ),
    );
    const lines = expected.match(/.{1,70}/g).join("\n");
    requireThat(
      armour === `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`,
      "The signature is none of this key for this purpose.",
    );
    const message = concatenate(toUtf8("SSHSIG"), scope, sshString(await digestOf("SHA-512", content)));
    requireThat(await key.verify(message, made), `The signature of ${key.name} does not hold.`);
  }

  function readWhole(text) {
    requireThat(/^(0|[1-9][0-9]{0,17})$/.test(text), `${text.slice(0, 40)} is no number of rows.`);
    return Number(text);
  }
  function readHash(text) {
    const bytes = fromBase64(text);
    requireThat(bytes.length === 32, `${text.slice(0, 60)} is no hash.`);
    return bytes;
  }
  /** A signed note with the origin, the number of rows and the root of a log (C2SP tlog-checkpoint). */
  async function openCheckpoint(note, key) {
    const at = note.lastIndexOf("\n\n");
    requireThat(at >= 0 && note.endsWith("\n") && note.length <= 100000, "The head is no signed note.");
    const text = note.slice(0, at + 1);
    let isSigned = false;
    for (const line of note
      .slice(at + 2)
      .replace(/\n+$/, "")
      .split("\n")) {
      const found = /^\u2014 (.+) ([^ ]*)$/.exec(line);
      requireThat(found, `The head has a line among its signatures that is none: ${line.slice(0, 60)}.`);
      const bytes = fromBase64(found[2]);
      if (found[1] !== key.name || !sameBytes(bytes.subarray(0, 4), key.keyId)) continue;
      requireThat(
        await key.verify(toUtf8(text), bytes.subarray(4)),
        `The signature of ${key.name} on the head does not hold.`,
      );
      isSigned = true;
    }
    requireThat(isSigned, `The head is not signed by ${key.name}.`);
    const lines = text.slice(0, -1).split("\n");
    requireThat(
      lines.length >= 3 && lines.every(Boolean),
      "The head has no three lines of origin, number of rows and root.",
    );
    requireThat(lines[0] === key.name, `The head is of ${lines[0]}, and the key is of ${key.name}.`);
    return { origin: lines[0], size: readWhole(lines[1]), root: readHash(lines[2]) };
  }

  /** The bounds of the subtrees whose roots lead from a leaf to the root, the lowest first (RFC 6962, 2.1.1). */
  function listSiblings(index, size) {
    const spans = [];
    for (let start = 0, end = size; end - start > 1;) {
      let split = 1;
      while (split * 2 < end - start) split *= 2;
      if (index < start + split) {
        spans.push({ start: start + split, end });
        end = start + split;
      } else {
        spans.push({ start, end: start + split });
        start += split;
      }
    }
    return spans.reverse();
  }
  const LEAF_FIELDS = [
    "id",
    "number",
    "at",
    "project_id",
    "user_id",
    "token_id",
    "request_id",
    "action",
    "object",
    "before",
    "after",
  ];
  const hashNode = (left, right) => sha256(concatenate(Uint8Array.of(1), left, right));
  const hashLeaf = (text) => sha256(concatenate(Uint8Array.of(0), toUtf8(text)));
  function hashOfRow(row) {
    for (const field of LEAF_FIELDS) requireThat(field in row, `The row has no ${field}.`);
    return hashLeaf(writeJson(Object.fromEntries(LEAF_FIELDS.map((field) => [field, row[field]]))));
  }
  /** The root of a tree by some of its leaves, `[place, hash]` in order, and the roots of all parts without any. */
  async function rootOfSome(leaves, size, outside) {
    let next = 0;
    requireThat(
      Number.isSafeInteger(size) && size > 0 && leaves.every(([place], at) => place < size && place > (leaves[at - 1]?.[0] ?? -1)),
      `The proof is of a tree of ${size} leaves.`,
    );
    const root = await partOf(0, size, 0, leaves.length);
    requireThat(next === outside.length, `The proof has ${outside.length} hashes; it takes ${next}.`);
    return root;

    async function partOf(start, end, first, last) {
      if (first === last) {
        requireThat(next < outside.length, `The proof has ${outside.length} hashes, which are too few.`);
        next += 1;
        return outside[next - 1];
      }
      if (end - start === 1) return leaves[first][1];
      let split = 1;
      while (split * 2 < end - start) split *= 2;
      let at = first;
      if (last - first === end - start) at = first + split;
      else while (at < last && leaves[at][0] < start + split) at += 1;
      const left = await partOf(start, start + split, first, at);
      return hashNode(left, await partOf(start + split, end, at, last));
    }
  }
  /** Whether a row of the log is under the signed head, by its proof (C2SP tlog-proof). */
  async function verifyRow(row, number, proofText, key, head, headText) {
    const at = proofText.indexOf("\n\n");
    const [first, indexLine = "", ...hashes] = proofText.slice(0, Math.max(0, at)).split("\n");
    requireThat(
      at >= 0 && first === "c2sp.org/tlog-proof@v1" && indexLine.startsWith("index "),
      "It is no proof of a row.",
    );
    const index = readWhole(indexLine.slice(6)),
      path = hashes.map(readHash);
    const note = proofText.slice(at + 2),
      proved = head && note === headText ? head : await openCheckpoint(note, key);
    const spans = index < proved.size ? listSiblings(index, proved.size) : [];
    requireThat(
      index < proved.size && path.length === spans.length,
      "The proof has another length than the path of its row.",
    );
    let reached = await hashOfRow(row);
    for (const [step, span] of spans.entries())
      reached = await (span.end <= index ? hashNode(path[step], reached) : hashNode(reached, path[step]));
    requireThat(sameBytes(reached, proved.root), "The row and its proof do not lead to the root of the head.");
    requireThat(index === number - 1, `It is no proof of row ${number}.`);
    requireThat(
      head && proved.size === head.size && sameBytes(proved.root, head.root),
      "It proves the row under another head than that of the bundle.",
    );
  }

  // Keys that follow one another: each statement has the signature of the successor, and what its kind asks for of the
  // key that it is about.

  const STATEMENT_NAMESPACE = "weighbridge-audit-key",
    STATEMENT_FIELDS = ["log", "key", "successor", "rows", "root", "time"];
  /** A statement about a key, once its signatures were verified. */
  async function readStatement(record) {
    const [first, ...lines] = record.text.replace(/\n$/, "").split("\n"),
      kind = /^weighbridge audit key (endorsement|beginning|revocation) 1$/.exec(first)?.[1];
    const names = lines.map((line) => line.split(" ", 1)[0]),
      [log, keyText, successorText, rows, root] = lines.map((line) => line.slice(line.indexOf(" ") + 1));
    requireThat(
      kind && record.text.endsWith("\n") && names.join() === STATEMENT_FIELDS.join(),
      `${first.slice(0, 60)} does not begin a statement about a key with its six lines.`,
    );
    const key = await readKey(keyText),
      successor = await readKey(successorText),
      content = toUtf8(record.text);
    requireThat(
      key.text === keyText && successor.text === successorText && key.name === log && successor.name === log,
      `The statement about a key of ${log} is not written as such statements are.`,
    );
    await verifySshSignature(content, record.successor_signature, successor, STATEMENT_NAMESPACE);
    if (record.key_signature !== null)
      await verifySshSignature(content, record.key_signature, key, STATEMENT_NAMESPACE);
    requireThat(
      kind === "revocation" || (kind === "endorsement") === (record.key_signature !== null),
      `A statement of the kind ${kind} has other signatures.`,
    );
    return { kind, log, key, successor, head: { origin: log, size: readWhole(rows), root: readHash(root) } };
  }
  /** The keys that the given one leads to, and by the line of a key its revocation with the fewest rows. */
  async function readTrustedKeys(parts, given, others, faults) {
    const statements = [...others],
      revocations = new Map(),
      keys = [given];
    if (parts.has("audit/keys.json")) {
      try {
        const text = fromUtf8(parts.get("audit/keys.json"));
        requireThat(text.endsWith("\n"), "audit/keys.json does not end with a line end.");
        for (const record of readRecord("audit/keys.json", text.slice(0, -1)).statements)
          statements.push(await readStatement(record));
      } catch (error) {
        faults.add("audit/keys.json", explain(error));
      }
    }
    const ofLog = statements.filter((one) => one.log === given.name);
    for (const one of ofLog) {
      const known = revocations.get(one.key.text);
      if (one.kind === "revocation" && !(known && known.size <= one.head.size)) revocations.set(one.key.text, one.head);
    }
    for (const one of ofLog) {
      const isTrusted = keys.some((key) => key.text === one.key.text) && !revocations.has(one.key.text);
      if (one.kind === "endorsement" && isTrusted) keys.push(one.successor);
    }
    return { keys, revocations };
  }
  const readKeyRecords = (parts) =>
    readRecord("audit/keys.json", fromUtf8(parts.get("audit/keys.json")).slice(0, -1)).statements;
  /** The trusted key that signed the digests; the given one where none of them did. */
  async function findSigner(parts, keys) {
    for (const key of keys.slice(1)) {
      try {
        const armour = decodeLoosely(parts.get("SHA256SUMS.sig"));
        await verifySshSignature(parts.get("SHA256SUMS") ?? new Uint8Array(), armour, key, "weighbridge-bundle");
        return key;
      } catch {
        continue;
      }
    }
    return keys[0];
  }
  function requireValid({ revocations }, signer, head) {
    const last = revocations.get(signer.text),
      isLast = last && last.size === head.size && sameBytes(last.root, head.root);
    requireThat(
      !last || head.size < last.size || isLast,
      `The key ${signer.text} was revoked: it counts for heads of at most ${last?.size} rows.`,
    );
  }

  /** How far, in seconds, the clock of a witness may be ahead of this one. */
  const FUTURE_SECONDS_MAX = 300;
  /** The names of the witnesses whose cosignatures of a head are valid, each key once (C2SP tlog-cosignature). */
  async function listCosigners(note, witnesses, now) {
    const at = note.lastIndexOf("\n\n"),
      text = note.slice(0, at + 1),
      found = new Map();
    for (const witness of witnesses) {
      for (const line of note.slice(at + 2).split("\n")) {
        const [, name, encoded] = /^\u2014 (.+) ([^ ]*)$/.exec(line) ?? [];
        if (name !== witness.name) continue;
        const bytes = fromBase64(encoded);
        if (bytes.length !== 76 || !sameBytes(bytes.subarray(0, 4), witness.keyId)) continue;
        let time = 0n;
        for (const byte of bytes.subarray(4, 12)) time = time * 256n + BigInt(byte);
        if (time > BigInt(now + FUTURE_SECONDS_MAX)) continue;
        const isValid = await witness.verify(toUtf8(`cosignature/v1\ntime ${time}\n${text}`), bytes.subarray(12));
        if (isValid && !found.has(toHex(witness.public))) found.set(toHex(witness.public), witness.name);
      }
    }
    return [...found.values()];
  }

  async function verifySums(parts, digests, key, faults) {
    const names = [...parts.keys()].filter((name) => name !== "SHA256SUMS" && name !== "SHA256SUMS.sig");
    const stated = parts.get("SHA256SUMS") ?? new Uint8Array();
    const expected = names.map((name) => `${digests.get(name)}  ${name}\n`).join("");
    if (!sameBytes(stated, toUtf8(expected))) faults.add("SHA256SUMS", "It does not list the digests of the parts.");
    try {
      await verifySshSignature(stated, decodeLoosely(parts.get("SHA256SUMS.sig")), key, "weighbridge-bundle");
    } catch (error) {
      faults.add("SHA256SUMS.sig", explain(error));
    }
  }
  const decodeLoosely = (bytes) => new TextDecoder().decode(bytes ?? new Uint8Array());
  function explain(error) {
    if (error instanceof Unreadable || error instanceof NoResult) return error.message;
    return `it cannot be compared: ${error?.message ?? error}`;
  }

  async function verifyAudit(parts, key, faults) {
    const vouched = { head: null, rows: [], seal: null },
      headText = decodeLoosely(parts.get("audit/head.checkpoint"));
    try {
      vouched.head = await openCheckpoint(headText, key);
    } catch (error) {
      faults.add("audit/head.checkpoint", explain(error));
    }
    vouched.rows = await readProvedRows("audit/rows.jsonl");
    if (parts.has("audit/seal.jsonl")) {
      const rows = await readProvedRows("audit/seal.jsonl");
      vouched.seal = rows.length === 1 ? rows[0] : null;
    }
    return vouched;

    async function readProvedRows(part) {
      const rows = [];
      try {
        let last = 0;
        for (const line of splitLines(parts.get(part) ?? new Uint8Array(), part)) {
          const row = readJson(line);
          requireThat(Number.isSafeInteger(row.number) && row.number > last, "Rows are sorted by number, each once.");
          last = row.number;
          const name = `audit/${row.number}.tlog-proof`;
          try {
            await verifyRow(row, row.number, decodeLoosely(parts.get(name)), key, vouched.head, headText);
            rows.push(row);
          } catch (error) {
            faults.add(name, explain(error));
          }
        }
      } catch (error) {
        faults.add(part, explain(error));
      }
      return rows;
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // Rows: tables as CSV, records as JSON by RFC 8785; every value has one way to be written.
  // ---------------------------------------------------------------------------------------------------------

  /** JSON by RFC 8785; numbers are whole ones. */
  function writeJson(value) {
    if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
    if (value !== null && typeof value === "object") {
      return `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${writeJson(value[name])}`)
        .join(",")}}`;
    }
    return JSON.stringify(value);
  }
  /** Reading and writing again must give the same text; so no number that is not a whole one passes. */
  function readJson(text) {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      refuse(`${text.slice(0, 60)} is no JSON.`);
    }
    requireThat(
      isOfWholeNumbers(value) && writeJson(value) === text,
      `${text.slice(0, 60)} is not JSON as it is written here.`,
    );
    return value;
  }
  function isOfWholeNumbers(value) {
    if (typeof value === "number") return Number.isSafeInteger(value);
    return value === null || typeof value !== "object" || Object.values(value).every(isOfWholeNumbers);
  }

  /** The shapes of records: a text ending in `?` may be null; `[x]` is a list, `{*: x}` a map of any names. */
  const INCLUSION = {
    amount: "number",
    batch_id: "text",
    end_time: "text",
    start_time: "text",
    tracking_id: "text",
    unit: "text",
  };
  const COMPONENT = { by_input: { "*": "number" }, degrees_of_freedom: "number?", effect: "text", owner: "text" };
  const CORRELATION = { coefficient: "number", one: "whole", other: "whole" };
  const SHAPES = {
    "bundle.json": {
      format: "whole",
      report_id: "text",
      project_id: "text",
      project_number: "whole",
      project_name: "text",
      time_zone: "text",
      audit_log: "text",
      engine_revision: "whole",
      is_redacted: "flag",
    },
    "report.json": {
      amount: "number",
      effective_at: "text?",
      end_time: "text?",
      id: "text",
      inclusions: [INCLUSION],
      ledger_id: "text?",
      methodology_id: "whole?",
      name: "text",
      project_id: "text",
      report_type: "text",
      start_time: "text?",
      supersedes: "text?",
    },
    "methodology.json": {
      id: "whole",
      models: [{ id: "text", name: "text", version: "whole", version_ids: ["text"], versions: ["whole"] }],
      name: "text",
      other_batches: ["text"],
      other_versions: "text",
      report_type: "text",
      version: "text",
    },
    "lineage.jsonl": {
      batch: "whole",
      inputs: [{ event_type: "text", nodes: ["text"], events: "text", versions: { "*": "whole" } }],
      static_inputs: { "*": ["whole"] },
      skipped: ["text"],
      corrections: "text",
      draws: [
        {
          node: "text",
          source: "whole",
          amount: "number",
          attributes: ["text"],
          units: ["text"],
          contributions: ["text?", "?"],
        },
      ],
    },
    "audit/writes.json": { events: { "*": ["text"] }, log: ["text"] },
    "audit/keys.json": { statements: [{ key_signature: "text?", successor_signature: "text", text: "text" }] },
    "slots.jsonl": { generation: "whole", model: "whole", batches: ["whole"], alongside: ["whole"] },
    "uncertainties.jsonl": {
      batch: "whole",
      draws: [[{ components: [COMPONENT], correlations: [CORRELATION] }]],
      outputs: {
        "*": {
          components: [COMPONENT],
          correlations: [CORRELATION],
          coverage_probability: "number",
          degrees_of_freedom: "number?",
          degrees_of_freedom_reason: "text?",
          expanded_uncertainty: "number",
          standard_uncertainty: "number",
        },
      },
    },
  };
  function hasShape(shape, value) {
    if (typeof shape === "string") {
      if (shape.endsWith("?")) return value === null || hasShape(shape.slice(0, -1), value);
      return {
        text: typeof value === "string",
        number: typeof value === "string" && NUMBER.test(value),
        whole: Number.isInteger(value),
        flag: typeof value === "boolean",
      }[shape];
    }
    if (Array.isArray(shape))
      return (
        (shape[1] === "?" && value === null) || (Array.isArray(value) && value.every((one) => hasShape(shape[0], one)))
      );
    if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
    if ("*" in shape) return Object.values(value).every((one) => hasShape(shape["*"], one));
    return (
      Object.keys(value).length === Object.keys(shape).length &&
      Object.keys(shape).every((name) => name in value && hasShape(shape[name], value[name]))
    );
  }
  /** Fields of `report.json` that are there only where the report owes something, or takes the place of others. */
  const OWED = { liability: "number", liability_reason: "text" };
  const SUCCEEDED = { predecessors: ["text"] };
  /** Fields that are there only where reports take of several ledgers. */
  const LEDGER_ROLE = { role: "text", sign: "whole", unit: "text" };
  const STATED_LEDGERS = {
    ledgers: [{ ...LEDGER_ROLE, amount: "number", batch_ids: ["text"], counted: "number", ledger_id: "text" }],
  };
  function readRecord(part, text) {
    const record = readJson(text),
      isObject = record !== null && typeof record === "object",
      has = (name) => part === "report.json" && isObject && name in record,
      shape = {
        ...SHAPES[part],
        ...(has("liability") && OWED),
        ...(has("predecessors") && SUCCEEDED),
        ...(has("ledgers") && STATED_LEDGERS),
        ...(part === "methodology.json" && isObject && "ledgers" in record && { ledgers: [LEDGER_ROLE] }),
      };
    requireThat(hasShape(shape, record), `${text.slice(0, 60)} has other fields than ${part} has.`);
    return record;
  }

  /** The lines of a part, without their ends; in a table a line goes on within quotation marks. */
  function splitLines(bytes, part) {
    const text = fromUtf8(bytes),
      lines = [];
    requireThat(text === "" || text.endsWith("\n"), `${part} does not end with a line end.`);
    let held = "";
    for (const piece of text.split("\n").slice(0, -1)) {
      held += piece;
      if (part.endsWith(".csv") && held.includes('"') && (held.match(/"/g)?.length ?? 0) % 2) {
        held += "\n";
        continue;
      }
      lines.push(held);
      held = "";
    }
    requireThat(held === "", `${part} does not end with a line end.`);
    return lines;
  }
  const NEEDS_MARKS = /[",\n\r]/;
  /** The fields of a line; null for an empty one. */
  function splitFields(line) {
    const fields = [],
      pattern = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
    for (let at = 0; ; at += 1) {
      pattern.lastIndex = at;
      const [, quoted, bare] = pattern.exec(line);
      at = pattern.lastIndex;
      const text = quoted === undefined ? bare || null : quoted.replaceAll('""', '"');
      requireThat(
        quoted === undefined || text === "" || NEEDS_MARKS.test(text),
        "a field is in quotation marks that needs none",
      );
      fields.push(text);
      if (at === line.length) return fields;
      requireThat(line[at] === ",", "a quotation mark is where none may be");
    }
  }

  const NUMBER = /^(?:-?(?:[1-9][0-9]*(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9])|0)$/,
    WHOLE = /^(?:-?[1-9][0-9]{0,17}|0)$/;
  const readMoment = (text) => Date.parse(text);
  const writeMoment = (milliseconds) => new Date(milliseconds).toISOString();
  /** By type of a column what reads its text. */
  const READERS = {
    text: (text) => text,
    number(text) {
      requireThat(NUMBER.test(text), `${text.slice(0, 60)} is no number as it is written here.`);
      return parseDec(text);
    },
    whole(text) {
      requireThat(WHOLE.test(text) && Number.isSafeInteger(Number(text)), `${text.slice(0, 60)} is no whole number.`);
      return Number(text);
    },
    time(text) {
      requireThat(
        /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/.test(text),
        `${text.slice(0, 60)} is no time.`,
      );
      const moment = readMoment(text);
      requireThat(!Number.isNaN(moment) && writeMoment(moment) === text, `${text} is no time.`);
      return moment;
    },
    flag(text) {
      requireThat(text === "true" || text === "false", `${text.slice(0, 60)} is neither true nor false.`);
      return text === "true";
    },
    digest(text) {
      requireThat(/^[0-9a-f]{64}$/.test(text), `${text.slice(0, 60)} is no digest.`);
      return text;
    },
    list(text) {
      return readJson(text);
    },
  };

  /** The columns of each table, in their order, with their types; `?` marks one that may be empty, `*` a key. */
  const COLUMNS = {
    "ledgers.csv": "*ledger:whole ledger_id:text name:text unit:text scale:whole rounding:text output:text?",
    "models.csv": "*model:whole model_id:text name:text version:whole sha256:digest",
    "batches.csv": `*batch:whole batch_id:text ledger:whole tracking_id:text start_time:time end_time:time run:whole?
        by_event:flag event:whole? run_tracking_id:text? feedstock:text? asset:text? model:whole?
        share_places:whole total:number credited:number engine_revision:whole generation:whole? created_at:time
        deleted_at:time?`,
    "node_values.csv": `*batch:whole *node:text name:text unit:text? value:number? whole:number? elements:list?
        element_count:whole? elements_sha256:digest? is_output:flag is_primary:flag contributions:list?`,
    "event_types.csv": "*event_type:text *data_point:text position:whole value_type:text unit:text?",
    "meters.csv": "*kind:text *name:text in_service_from:time? in_service_until:time?",
    "corrections.csv": `*correction:whole event:whole data_point:text origin:text from_value:text? to_value:text rule:whole?
        rule_version:whole? reason:text? user:whole created_at:time`,
    "static_inputs.csv": `*static_input:whole slug:text value:number unit:text? effective_from:time asset:text? feedstock:text?
        location:text?`,
    "evidence.csv": `*evidence:whole event:whole type:text name:text url:text? content_type:text? size:whole? sha256:digest?
        created_at:time`,
    "outages.csv": `*outage:whole reason:text event_type:text? asset:text? location:text? start_time:time end_time:time?
        evidence_url:text?`,
    "findings.csv": `*finding:whole finding_id:text event:whole data_point:text rule:whole rule_version:whole
        entered_value:text? dismissed_at:time dismissed_by:whole reason:text`,
    "names.csv": "*kind:text *number:whole name:text",
    "late_events.csv": "*event:whole event_type:text start_time:time end_time:time created_at:time",
    "entries.csv": `*entry:whole ledger:whole batch:whole kind:text amount:number effective_at:time posted_at:time
        posted_by:whole? run:whole? node:text? reverses:whole? report:whole?`,
    "calibrations.csv": `*calibration:whole *version:whole calibration_id:text name:text event_type:text data_point:text
        asset:text? valid_from:time valid_until:time? statement:text evidence:whole? batches:text`,
    "sources.csv": `*correction:whole *event:whole *version:whole weight:number value:number start_time:time? asset:text?
        statement:text? batches:text`,
    "statements.csv": "*kind:text *name:text *data_point:text *version:whole statement:text batches:text",
    "deficits.csv": `*entry:whole ledger:whole run:whole amount:number effective_at:time posted_at:time posted_by:whole
        reverses:whole? report:whole?`,
  };
  const EVENT_COLUMNS = `*event:whole *version:whole start_time:time end_time:time tracking_id:text? feedstock:text? asset:text?
      location:text? client_reference:text? is_imputed:flag`;
  /** The first format that has a table, of those that not all have. */
  const FIRST_FORMATS = {
    "entries.csv": 2,
    "deficits.csv": 2,
    "names.csv": 4,
    "late_events.csv": 4,
    "outages.csv": 4,
    "findings.csv": 4,
    "calibrations.csv": 5,
    "sources.csv": 5,
    "statements.csv": 5,
  };
  const hasTable = (format, part) => format >= (FIRST_FORMATS[part] ?? 1);

  function defineTable(part, columns) {
    return {
      part,
      columns: columns.split(/\s+/).map((one) => {
        const [, key, name, kind, optional] = /^(\*?)([^:]+):([a-z]+)(\??)$/.exec(one);
        return { isKey: Boolean(key), name, kind, isOptional: Boolean(optional) };
      }),
    };
  }
  const TABLES = Object.fromEntries(
    Object.entries(COLUMNS).map(([part, columns]) => [part, defineTable(part, columns)]),
  );
  const VALUE_TYPES = { number: "number", string: "text", boolean: "flag" };
  function defineEventsTable(eventType, points) {
    const table = defineTable(`events/${eventType}.csv`, EVENT_COLUMNS);
    for (const { data_point, value_type } of points) {
      requireThat(Object.hasOwn(VALUE_TYPES, value_type), `${eventType}.${data_point} is of no type.`);
      table.columns.push({ isKey: false, name: `.${data_point}`, kind: VALUE_TYPES[value_type], isOptional: true });
    }
    return table;
  }

  /** Texts are sorted by their code points, numbers by size. */
  function compareKeys(a, b) {
    for (let at = 0; at < a.length; at += 1) {
      const order = typeof a[at] === "number" ? a[at] - b[at] : compareTexts(a[at], b[at]);
      if (order) return order;
    }
    return 0;
  }
  function compareTexts(a, b) {
    const one = Array.from(a, (letter) => letter.codePointAt(0)),
      other = Array.from(b, (letter) => letter.codePointAt(0));
    for (let at = 0; at < Math.min(one.length, other.length); at += 1)
      if (one[at] !== other[at]) return one[at] - other[at];
    return one.length - other.length;
  }
  function readTable(table, bytes) {
    const [header, ...lines] = splitLines(bytes, table.part);
    requireThat(
      header === table.columns.map((column) => column.name).join(","),
      `The first line of ${table.part} is not its columns.`,
    );
    let before = null;
    return lines.map((line) => {
      const fields = splitFields(line),
        row = {};
      requireThat(fields.length === table.columns.length, `A row of ${table.part} has ${fields.length} fields.`);
      for (const [at, { name, kind, isOptional }] of table.columns.entries()) {
        requireThat(fields[at] !== null || isOptional, `In ${table.part}, ${name} is empty.`);
        row[name] = fields[at] === null ? null : READERS[kind](fields[at]);
      }
      const key = table.columns.filter((column) => column.isKey).map((column) => row[column.name]);
      requireThat(
        before === null || compareKeys(before, key) < 0,
        `Rows of ${table.part} are sorted, each once; ${key} is not.`,
      );
      before = key;
      return row;
    });
  }

  /** `3-7,9`: ascending numbers, in as few ranges as can be. */
  function parseRanges(text) {
    if (parsedRanges.size > 10000) parsedRanges.clear();
    return gather(parsedRanges, text, () => parseNewRanges(text));
  }
  const parsedRanges = new Map();
  function parseNewRanges(text) {
    const numbers = [];
    for (const piece of text ? text.split(",") : []) {
      const found = /^([0-9]+)(?:-([0-9]+))?$/.exec(piece);
      requireThat(found, `${text.slice(0, 60)} are no ranges of numbers.`);
      const first = Number(found[1]),
        last = Number(found[2] ?? found[1]);
      requireThat(last - first + numbers.length < 1e8, `${text.slice(0, 60)} are too many numbers.`);
      for (let number = first; number <= last; number += 1) numbers.push(number);
    }
    const ranges = [];
    for (const number of numbers) {
      const last = ranges[ranges.length - 1];
      if (last && number === last[1] + 1) last[1] = number;
      else ranges.push([number, number]);
    }
    const written = ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
    requireThat(
      written === text && numbers.every((number, at) => at === 0 || number > numbers[at - 1]),
      `${text.slice(0, 60)} are not written as ranges are.`,
    );
    return numbers;
  }

  /** Whether ascending numbers have one. */
  function hasNumber(numbers, wanted) {
    let low = 0,
      high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return numbers[low] === wanted;
  }

  /** The id of a record: project, number and kind packed in 96 bits and stirred. */
  const STIR = 0x9e3779b97f4a7c15f39cc061n,
    ID_MASK = (1n << 96n) - 1n;
  const ID_PREFIXES = {
    project: "prj",
    event_type: "et",
    event: "evt",
    asset: "ast",
    model: "mod",
    ledger: "lgr",
    batch: "bat",
    rule: "rule",
    report: "rpt",
    location: "loc",
    feedstock: "fs",
    data_point_result: "dpres",
    calibration: "cal",
  };
  const UNSTIR = (() => {
    let inverse = 1n;
    for (let step = 0; step < 7; step += 1) inverse = (inverse * (2n - STIR * inverse)) & ID_MASK;
    return inverse;
  })();
  /** The number of a record of the project by its id; null for any other text. */
  function numberOf(kind, id, project) {
    const found = /^([a-z]+)_([0-9a-f]{24})$/.exec(id);
    if (!found || found[1] !== ID_PREFIXES[kind]) return null;
    const written = BigInt(`0x${found[2]}`),
      packed = ((written ^ (written >> 48n)) * UNSTIR) & ID_MASK,
      number = packed >> 31n;
    return (packed & 0x7fffffffn) === BigInt(project) && number < 1n << 48n ? Number(number) : null;
  }
  function idOf(kind, project, number = 0) {
    const stirred = (((BigInt(number) << 31n) | BigInt(project)) * STIR) & ID_MASK;
    return `${ID_PREFIXES[kind]}_${(stirred ^ (stirred >> 48n)).toString(16).padStart(24, "0")}`;
  }

  // ---------------------------------------------------------------------------------------------------------
  // Contents: all parts read; what cannot be read is a fault, and then nothing is compared.
  // ---------------------------------------------------------------------------------------------------------

  function readContents(parts, faults) {
    const attempt = (part, read, instead) => {
      try {
        requireThat(parts.has(part), "The part is missing.");
        return read(parts.get(part));
      } catch (error) {
        faults.add(part, explain(error));
        return instead;
      }
    };
    const readWholeRecord = (part) =>
      attempt(
        part,
        (bytes) => {
          const text = fromUtf8(bytes);
          requireThat(text.endsWith("\n"), `${part} does not end with a line end.`);
          return readRecord(part, text.slice(0, -1));
        },
        null,
      );
    const manifest = readWholeRecord("bundle.json");
    if (manifest && ![1, 2, 3, 4, 5].includes(manifest.format)) {
      faults.add("bundle.json", `The bundle is of format ${manifest.format}; this program knows formats 1 to 5.`);
      return null;
    }
    const report = readWholeRecord("report.json");
    if (!manifest || !report) return null;
    const hasMethodology = manifest.format >= 4 && report.methodology_id !== null,
      methodology = hasMethodology ? readWholeRecord("methodology.json") : null;
    const hasStories = manifest.format >= 2,
      isSealed = manifest.format >= 4,
      isUncertain = manifest.format >= 5,
      rows = {};
    for (const [part, table] of Object.entries(TABLES)) {
      rows[part] = hasTable(manifest.format, part) ? attempt(part, (bytes) => readTable(table, bytes), []) : [];
    }
    const by = (part, column) => new Map(rows[part].map((row) => [row[column], row]));
    const contents = {
      parts,
      manifest,
      report,
      methodology,
      hasStories,
      isSealed,
      isUncertain,
      uncertainties: new Map(),
      stated: null,
      rows,
      entries: rows["entries.csv"],
      deficits: rows["deficits.csv"],
      ledgers: by("ledgers.csv", "ledger"),
      batches: by("batches.csv", "batch"),
      corrections: by("corrections.csv", "correction"),
      statics: by("static_inputs.csv", "static_input"),
      models: by("models.csv", "model"),
      evidence: rows["evidence.csv"],
      meters: new Map(rows["meters.csv"].map((row) => [`${row.kind}/${row.name}`, row])),
      values: new Map(),
      points: new Map(),
      events: new Map(),
      lineage: new Map(),
      documents: new Map(),
      findings: rows["findings.csv"],
      outages: rows["outages.csv"],
      lateEvents: by("late_events.csv", "event"),
      tables: { ...TABLES },
      reported: new Map(report.inclusions.map((one) => [one.batch_id, one])),
    };
    for (const part of Object.keys(TABLES)) if (!hasTable(manifest.format, part)) delete contents.tables[part];
    if (isSealed) {
      contents.names = new Map(rows["names.csv"].map((row) => [`${row.kind}/${row.number}`, row.name]));
      contents.writeProof = readWholeRecord("audit/writes.json");
    }
    for (const row of rows["node_values.csv"]) gather(contents.values, row.batch, () => new Map()).set(row.node, row);
    for (const row of rows["event_types.csv"]) gather(contents.points, row.event_type, () => []).push(row);
    for (const [eventType, points] of contents.points) {
      attempt(`events/${eventType}.csv`, (bytes) => {
        const table = defineEventsTable(eventType, points),
          file = { table, byKey: new Map(), numbers: new Set(), read: new Set() };
        for (const row of readTable(table, bytes)) {
          requireThat(row.start_time <= row.end_time, `Event ${row.event} ends before it starts.`);
          file.byKey.set(`${row.event}/${row.version}`, row);
          file.numbers.add(row.event);
        }
        contents.events.set(eventType, file);
        contents.tables[table.part] = table;
      });
    }
    attempt("lineage.jsonl", (bytes) => {
      let last = -1;
      for (const text of splitLines(bytes, "lineage.jsonl")) {
        const line = readRecord("lineage.jsonl", text);
        requireThat(line.batch > last, "Lines are sorted by batch, each once.");
        last = line.batch;
        contents.lineage.set(line.batch, line);
      }
    });
    if (isUncertain) {
      contents.stated = attempt("statements.csv", () => readStated(rows["statements.csv"], rows["calibrations.csv"], rows["sources.csv"]), null);
      attempt("uncertainties.jsonl", (bytes) => {
        let last = -1;
        for (const text of splitLines(bytes, "uncertainties.jsonl")) {
          const line = readRecord("uncertainties.jsonl", text);
          requireThat(line.batch > last, "Lines are sorted by batch, each once.");
          last = line.batch;
          contents.uncertainties.set(line.batch, line);
        }
      });
    }
    contents.slots = attempt(
      "slots.jsonl",
      (bytes) => splitLines(bytes, "slots.jsonl").map((line) => readRecord("slots.jsonl", line)),
      [],
    );
    for (const model of contents.models.values()) {
      attempt(`models/${model.model_id}.yaml`, (bytes) =>
        contents.documents.set(model.model, readModel(fromUtf8(bytes))),
      );
    }
    return contents;
  }
  function gather(map, key, make) {
    if (!map.has(key)) map.set(key, make());
    return map.get(key);
  }
  /** An event in the state that a batch read. */
  function findEvent(contents, eventType, number, version) {
    const row = contents.events.get(eventType)?.byKey.get(`${number}/${version}`);
    requireThat(row, `Event ${number} is not in events/${eventType}.csv.`);
    return row;
  }
  const isRead = (contents, number) => [...contents.events.values()].some((file) => file.numbers.has(number));
  const hasEvent = (contents, number) => contents.lateEvents.has(number) || isRead(contents, number);

  // ---------------------------------------------------------------------------------------------------------
  // YAML, the plain part: block and flow mappings and lists, quoted, plain and block scalars, comments.
  // A mapping is a Map, a list an Array, a scalar { text, isPlain }.
  // ---------------------------------------------------------------------------------------------------------

  const ESCAPES = {
    0: "\0",
    a: "\x07",
    b: "\b",
    t: "\t",
    "\t": "\t",
    n: "\n",
    v: "\v",
    f: "\f",
    r: "\r",
    e: "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    N: "\x85",
    _: "\xa0",
    L: "\u2028",
    P: "\u2029",
  };

  function readYaml(source) {
    const text = source.replace(/\r\n?/g, "\n");
    let at = 0;
    const here = (length = 1) => text.slice(at, at + length);
    const column = (place = at) => place - (text.lastIndexOf("\n", place - 1) + 1);
    const isEnd = (place) => place >= text.length || text[place] === "\n";
    const isBlank = (place) => place >= text.length || /\s/.test(text[place]);
    const fail = (what) => refuse(`The document cannot be read at byte ${at}: ${what}.`);
    function skip() {
      for (;;) {
        while (at < text.length && /[ \t\n]/.test(text[at])) at += 1;
        if (text[at] !== "#" || (at > 0 && !/\s/.test(text[at - 1]))) return;
        while (!isEnd(at)) at += 1;
      }
    }
    function skipInLine() {
      while (text[at] === " " || text[at] === "\t") at += 1;
    }
    /** Several lines as one: a line end is a space, and each empty line a line end. */
    const foldLines = (lines) =>
      lines.reduce((whole, line, index) => {
        if (index === 0) return line;
        if (line === "") return `${whole}\n`;
        return whole.endsWith("\n") ? whole + line : `${whole} ${line}`;
      }, "");
    function quoted() {
      const mark = text[at++];
      let content = "";
      for (;;) {
        if (at >= text.length) fail("a text is not closed");
        const letter = text[at++];
        if (letter === mark) {
          if (mark === "'" && text[at] === "'") {
            content += "'";
            at += 1;
            continue;
          }
          return { text: content, isPlain: false };
        }
        if (letter === "\n") {
          let count = 0;
          content = content.replace(/[ \t]+$/, "");
          at -= 1;
          while (/[ \t\n]/.test(text[at] ?? "")) {
            if (text[at] === "\n") count += 1;
            at += 1;
          }
          content += count > 1 ? "\n".repeat(count - 1) : " ";
        } else if (letter === "\\" && mark === '"') {
          const sign = text[at++],
            length = { x: 2, u: 4, U: 8 }[sign];
          if (length) {
            content += String.fromCodePoint(parseInt(here(length), 16));
            at += length;
          } else if (sign === "\n") {
            while (/[ \t]/.test(text[at] ?? "")) at += 1;
          } else content += ESCAPES[sign] ?? fail("an escape is unknown");
        } else content += letter;
      }
    }
    function plainLine(inFlow) {
      const start = at;
      while (!isEnd(at)) {
        if (text[at] === ":" && (isBlank(at + 1) || (inFlow && ",[]{}".includes(text[at + 1])))) break;
        if (text[at] === "#" && /\s/.test(text[at - 1] ?? " ")) break;
        if (inFlow && ",[]{}".includes(text[at])) break;
        at += 1;
      }
      return text.slice(start, at).trimEnd();
    }
    /** A plain scalar; it goes on in lines that are further in than `indent`. */
    function plain(indent, inFlow) {
      const lines = [plainLine(inFlow)];
      for (;;) {
        if (!isEnd(at) || at >= text.length) break;
        let next = at,
          empty = -1;
        while (next < text.length && /[ \t\n]/.test(text[next])) {
          if (text[next] === "\n") empty += 1;
          next += 1;
        }
        if (next >= text.length || text[next] === "#" || (!inFlow && column(next) <= indent)) break;
        if (inFlow && ",[]{}".includes(text[next])) break;
        const before = at;
        at = next;
        const line = plainLine(inFlow);
        if (!inFlow && text[at] === ":") {
          at = before;
          break;
        }
        for (let count = 0; count < empty; count += 1) lines.push("");
        lines.push(line);
      }
      return { text: foldLines(lines), isPlain: true };
    }
    function blockScalar(indent) {
      const isFolded = text[at++] === ">";
      let chomp = "",
        given = 0;
      for (; !isEnd(at) && /[-+0-9]/.test(text[at]); at += 1)
        /\d/.test(text[at]) ? (given = Number(text[at])) : (chomp = text[at]);
      while (!isEnd(at)) at += 1;
      at += 1;
      const lines = [];
      let width = given ? Math.max(indent, 0) + given : null;
      while (at < text.length) {
        let end = text.indexOf("\n", at);
        if (end < 0) end = text.length;
        const line = text.slice(at, end),
          inside = line.length - line.trimStart().length;
        if (line.trim() !== "") {
          width ??= inside;
          if (inside < width || width <= indent) break;
        }
        lines.push(line.trim() === "" ? line.slice(width ?? line.length) : line.slice(width));
        at = end + 1;
      }
      let kept = lines.length;
      while (kept && lines[kept - 1] === "") kept -= 1;
      const trailing = lines.length - kept,
        body = lines.slice(0, kept);
      let content = "";
      body.forEach((line, index) => {
        if (!isFolded || index === 0) {
          content += (index ? "\n" : "") + line;
          return;
        }
        const last = body[index - 1],
          isMore = /^[ \t]/.test(line) || /^[ \t]/.test(last);
        content +=
          isMore || line === ""
            ? `\n${line}`
            : last === "" && !/^[ \t]/.test(body.slice(0, index).findLast((one) => one) ?? "")
              ? line
              : last === ""
                ? `\n${line}`
                : ` ${line}`;
      });
      const end = chomp === "-" || !kept ? "" : "\n";
      return { text: content + end + (chomp === "+" ? "\n".repeat(trailing) : ""), isPlain: false };
    }
    function flow() {
      const isList = text[at++] === "[",
        items = [],
        entries = new Map();
      for (;;) {
        skip();
        if (at >= text.length) fail("a list or mapping is not closed");
        if (text[at] === (isList ? "]" : "}")) {
          at += 1;
          return isList ? items : entries;
        }
        const value = flowValue();
        skip();
        if (text[at] === ":" && (isBlank(at + 1) || ",[]{}".includes(text[at + 1]) || !value.isPlain)) {
          at += 1;
          skip();
          const under = ",]}".includes(text[at]) ? { text: "", isPlain: true } : flowValue();
          if (isList) items.push(new Map([[value.text, under]]));
          else set(entries, value, under);
        } else if (isList) items.push(value);
        else set(entries, value, { text: "", isPlain: true });
        skip();
        if (text[at] === ",") at += 1;
        else if (text[at] !== (isList ? "]" : "}")) fail("a comma is missing");
      }
    }
    function flowValue() {
      if (text[at] === "[" || text[at] === "{") return flow();
      if (text[at] === '"' || text[at] === "'") return quoted();
      if ("&*!".includes(text[at])) fail("anchors, aliases and tags are not part of a model document");
      return plain(-1, true);
    }
    function set(entries, key, value) {
      if (key.text === undefined || entries.has(key.text)) fail("a key is no text, or is there twice");
      entries.set(key.text, value);
    }
    const isItem = () => text[at] === "-" && isBlank(at + 1);
    /** Whether a key of a mapping begins here. */
    function hasKey() {
      const before = at;
      try {
        if (text[at] === '"' || text[at] === "'") {
          quoted();
          skipInLine();
        } else if ("[{".includes(text[at] ?? "")) return false;
        else plainLine(false);
        return text[at] === ":" && isBlank(at + 1);
      } finally {
        at = before;
      }
    }
    /** What begins here, as a child of something at column `indent`. */
    function node(indent) {
      if (isItem()) return list();
      if (hasKey()) return mapping();
      if (text[at] === "|" || text[at] === ">") return blockScalar(indent);
      if (text[at] === "[" || text[at] === "{") return flow();
      if (text[at] === '"' || text[at] === "'") return quoted();
      if ("&*!".includes(text[at])) fail("anchors, aliases and tags are not part of a model document");
      return plain(indent, false);
    }
    function mapping() {
      const own = column(),
        entries = new Map();
      for (;;) {
        const key = text[at] === '"' || text[at] === "'" ? quoted() : { text: plainLine(false), isPlain: true };
        skipInLine();
        if (text[at] !== ":") fail("a colon is missing");
        at += 1;
        skipInLine();
        let value = { text: "", isPlain: true };
        if (isEnd(at) || text[at] === "#") {
          skip();
          if (at < text.length && (column() > own || (column() === own && isItem()))) value = node(own);
        } else value = text[at] === "|" || text[at] === ">" ? blockScalar(own) : valueInLine(own);
        set(entries, key, value);
        skip();
        if (at >= text.length || column() < own) return entries;
        if (column() > own || isItem()) {
          if (isItem() && column() === own) return entries;
          fail("a line is too far in");
        }
      }
    }
    function valueInLine(indent) {
      if (text[at] === "[" || text[at] === "{") return flow();
      if (text[at] === '"' || text[at] === "'") return quoted();
      if ("&*!".includes(text[at])) fail("anchors, aliases and tags are not part of a model document");
      return plain(indent, false);
    }
    function list() {
      const own = column(),
        items = [];
      for (;;) {
        at += 1;
        skipInLine();
        if (isEnd(at) || text[at] === "#") {
          skip();
          items.push(at < text.length && column() > own ? node(own) : { text: "", isPlain: true });
        } else items.push(node(own));
        skip();
        if (at >= text.length || column() < own || !isItem()) return items;
        if (column() > own) fail("a line is too far in");
      }
    }
    skip();
    if (here(3) === "---") {
      at += 3;
      skip();
    }
    const document = node(-1);
    skip();
    if (at < text.length) fail("something follows the document");
    return document;
  }

  // ---------------------------------------------------------------------------------------------------------
  // Expressions: read into a tree, written in one way.
  // ---------------------------------------------------------------------------------------------------------

  const RESERVED = new Set(["and", "or", "not", "between", "in", "is", "null", "true", "false", "contains", "matches"]);
  const isIdentifier = (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !RESERVED.has(text.toLowerCase());
  /** Arguments that are words and no values, by function. */
  const WORDS = { round: [2], lookup: [0, 1, 3], interpolate: [0, 1], to: [1], value: [1], quantity: [1] };
  const unquote = (text) => text.slice(1, -1).replaceAll(text[0] + text[0], text[0]);

  function tokenize(text) {
    const pattern =
      /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|('(?:[^']|'')*'|"(?:[^"]|"")*")|(\{\{[^{}]*\}\})|((?:starts|ends)\s+with\b)|([A-Za-z_][A-Za-z0-9_]*)|(!=|<=|>=|[-+*\/^=<>(),.]))/iy;
    const tokens = [];
    for (let at = 0; text.slice(at).trim(); at = pattern.lastIndex) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      requireThat(found, `An expression cannot be read: ${text.slice(at, at + 30)}.`);
      const [, number, quoted, variable, withWord, name, sign] = found;
      if (number !== undefined) tokens.push({ type: "number", text: number });
      else if (quoted !== undefined) tokens.push({ type: "string", text: quoted });
      else if (variable !== undefined) tokens.push({ type: "variable", text: variable });
      else if (withWord !== undefined)
        tokens.push({ type: "word", text: withWord.toLowerCase().split(/\s+/).join(" ") });
      else if (name !== undefined)
        tokens.push(
          RESERVED.has(name.toLowerCase()) ? { type: "word", text: name.toLowerCase() } : { type: "name", text: name },
        );
      else tokens.push({ type: "sign", text: sign });
    }
    return tokens;
  }

  function parseExpression(text) {
    const tokens = tokenize(text);
    let at = 0;
    const peek = (...texts) =>
      tokens[at] && (tokens[at].type === "sign" || tokens[at].type === "word") && texts.includes(tokens[at].text);
    const take = (...texts) => (peek(...texts) ? tokens[at++].text : null);
    const need = (sign) => {
      requireThat(take(sign), `${sign} is missing in the expression ${text.slice(0, 60)}.`);
    };
    const binary = (operator, left, right) => ({ kind: "binary", operator, left, right });
    function leftToRight(operand, ...operators) {
      let tree = operand();
      for (let operator; (operator = take(...operators));) tree = binary(operator, tree, operand());
      return tree;
    }
    const expression = () => leftToRight(conjunction, "or");
    const conjunction = () => leftToRight(negation, "and");
    const negation = () => (take("not") ? { kind: "unary", operator: "not", operand: negation() } : comparison());
    function comparison() {
      let tree = sum();
      for (;;) {
        let operator;
        if ((operator = take("=", "!=", "<=", ">=", "<", ">"))) {
          tree = binary(operator, tree, sum());
          continue;
        }
        if (take("is")) {
          const isNot = take("not");
          need("null");
          tree = { kind: "null", value: tree };
          if (isNot) tree = { kind: "unary", operator: "not", operand: tree };
          continue;
        }
        const isNot = take("not");
        if ((operator = take("contains", "starts with", "ends with", "matches"))) tree = binary(operator, tree, sum());
        else if (take("between")) {
          const low = sum();
          need("and");
          tree = { kind: "between", value: tree, low, high: sum() };
        } else if (take("in")) {
          need("(");
          tree = { kind: "in", value: tree, options: listArguments() };
        } else {
          requireThat(!isNot, "A test is missing after not.");
          return tree;
        }
        if (isNot) tree = { kind: "unary", operator: "not", operand: tree };
      }
    }
    const sum = () => leftToRight(product, "+", "-");
    const product = () => leftToRight(signed, "*", "/");
    const signed = () => (take("-") ? { kind: "unary", operator: "-", operand: signed() } : power());
    function power() {
      const base = atom();
      return take("^") ? binary("^", base, signed()) : base;
    }
    function listArguments() {
      const found = [];
      if (take(")")) return found;
      do found.push(expression());
      while (take(","));
      need(")");
      return found;
    }
    function atom() {
      const token = tokens[at++];
      requireThat(token, "The expression ends too early.");
      if (token.type === "number") return { kind: "number", value: parseDec(token.text) };
      if (token.type === "string") return { kind: "text", value: unquote(token.text) };
      if (token.type === "variable") return { kind: "name", path: [token.text.slice(2, -2).trim()], isVerbatim: true };
      if (token.type === "word" && (token.text === "true" || token.text === "false"))
        return { kind: "truth", value: token.text === "true" };
      if (token.type === "sign" && token.text === "(") {
        const inner = expression();
        need(")");
        return inner;
      }
      requireThat(token.type === "name", `${token.text} is not expected in the expression ${text.slice(0, 60)}.`);
      if (take("(")) return call(token.text.toLowerCase(), listArguments());
      const path = [token.text];
      while (take(".")) {
        const part = tokens[at++];
        requireThat(part, "A name ends too early.");
        path.push(part.type === "string" ? unquote(part.text) : part.text);
      }
      return { kind: "name", path, isVerbatim: false };
    }
    function call(name, list) {
      requireThat(Object.hasOwn(FUNCTIONS, name), `There is no function ${name}.`);
      const args = list.map((one, index) =>
        (WORDS[name] ?? []).includes(index)
          ? { kind: "word", text: one.kind === "text" ? one.value : (one.path?.[0] ?? "") }
          : one,
      );
      return { kind: "call", name, args };
    }
    const tree = expression();
    requireThat(at === tokens.length, `The expression goes on where it should end: ${text.slice(0, 60)}.`);
    return tree;
  }
  const nameOf = (tree) => tree.path.join(".");
  function listChildren(tree) {
    switch (tree.kind) {
      case "unary":
        return [tree.operand];
      case "binary":
        return [tree.left, tree.right];
      case "between":
        return [tree.value, tree.low, tree.high];
      case "in":
        return [tree.value, ...tree.options];
      case "null":
        return [tree.value];
      case "call":
        return tree.args;
      default:
        return [];
    }
  }
  function* walk(tree) {
    yield tree;
    for (const child of listChildren(tree)) yield* walk(child);
  }

  const STRENGTHS = { or: 0, and: 1, "+": 4, "-": 4, "*": 5, "/": 5, "^": 7 },
    TEST = 3,
    SIGNED = 6,
    ATOM = 8;
  function strengthOf(tree) {
    if (tree.kind === "unary") return tree.operator === "not" ? 2 : SIGNED;
    if (tree.kind === "binary") return STRENGTHS[tree.operator] ?? TEST;
    return ["between", "in", "null"].includes(tree.kind) ? TEST : ATOM;
  }
  function quoteText(text) {
    const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
    return mark + text.replaceAll(mark, mark + mark) + mark;
  }
  /** An expression as text: one space around operators, parentheses only where they are needed. */
  function printExpression(tree) {
    const within = (operand, needed) =>
      strengthOf(operand) >= needed ? printExpression(operand) : `(${printExpression(operand)})`;
    const besideTest = (operand) => {
      let inner = operand;
      while (inner.kind === "unary" && inner.operator === "-") inner = inner.operand;
      return strengthOf(inner) === ATOM ? printExpression(operand) : `(${printExpression(operand)})`;
    };
    switch (tree.kind) {
      case "number":
        return tree.value.toString();
      case "text":
        return quoteText(tree.value);
      case "truth":
        return String(tree.value);
      case "word":
        return isIdentifier(tree.text) ? tree.text : quoteText(tree.text);
      case "name": {
        if (tree.isVerbatim) return `{{${nameOf(tree)}}}`;
        return [tree.path[0], ...tree.path.slice(1).map((part) => (isIdentifier(part) ? part : quoteText(part)))].join(
          ".",
        );
      }
      case "call":
        return `${tree.name}(${tree.args.map(printExpression).join(", ")})`;
      case "unary":
        return tree.operator === "not" ? `not ${within(tree.operand, 2)}` : `-${within(tree.operand, SIGNED)}`;
      case "between":
        return `${besideTest(tree.value)} between ${besideTest(tree.low)} and ${besideTest(tree.high)}`;
      case "in":
        return `${besideTest(tree.value)} in (${tree.options.map(printExpression).join(", ")})`;
      case "null":
        return `${besideTest(tree.value)} is null`;
      default: {
        const strength = STRENGTHS[tree.operator];
        if (strength === undefined) return `${besideTest(tree.left)} ${tree.operator} ${besideTest(tree.right)}`;
        const [left, right] = tree.operator === "^" ? [ATOM, SIGNED] : [strength, strength + 1];
        return `${within(tree.left, left)} ${tree.operator} ${within(tree.right, right)}`;
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // Models: a document as nodes, and its canonical text, whose SHA-256 a batch keeps.
  // ---------------------------------------------------------------------------------------------------------

  const BODY_KINDS = ["input", "static_input", "constant", "upstream", "available", "formula"];
  const DIMENSIONS = {
    time: [],
    feedstock: ["feedstock"],
    tracking_id: ["tracking_id"],
    asset: ["asset"],
    tracking_id_and_feedstock: ["tracking_id", "feedstock"],
    tracking_id_and_asset: ["tracking_id", "asset"],
  };
  const SHAREABLE = new Set(["sum", "count", "delta"]);
  const NO_VALUE = new Set(["null", "~", ""]);
  const isNothing = (scalar) => scalar === undefined || (scalar.isPlain && NO_VALUE.has(scalar.text));
  const getFrom = (map, key) => (isNothing(map.get(key)) ? undefined : map.get(key));
  function textFrom(map, key) {
    const found = getFrom(map, key);
    if (found === undefined) return null;
    requireThat(typeof found.text === "string" && found.text.trim(), `${key} must be a text.`);
    return found.text.trim();
  }
  function wordFrom(map, key) {
    return getFrom(map, key)?.text ?? null;
  }
  function decFrom(scalar) {
    requireThat(
      scalar.isPlain && /^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?$/.test(scalar.text),
      `${scalar.text} is no number.`,
    );
    return parseDec(scalar.text);
  }
  const numberFrom = (map, key) => {
    const found = getFrom(map, key);
    return found === undefined ? null : decFrom(found);
  };
  const truthFrom = (map, key) => getFrom(map, key)?.text === "true";
  const numbersFrom = (source) => (Array.isArray(source) ? source.map(decFrom) : decFrom(source));
  const eachFrom = (map, key, read) =>
    new Map(
      [...(getFrom(map, key) ?? [])]
        .filter(([, value]) => !isNothing(value))
        .map(([name, value]) => [name, read(value)]),
    );

  const readModels = new Map();
  /** A document never changes what it says, and the same one is in many bundles. */
  function readModel(text) {
    if (readModels.size > 100) readModels.clear();
    return gather(readModels, text, () => readNewModel(text));
  }
  function readNewModel(text) {
    const source = readYaml(text);
    requireThat(source instanceof Map, "A model document is a mapping.");
    const places = numberFrom(source, "share_places");
    const model = {
      name: textFrom(source, "name"),
      about: textFrom(source, "about"),
      cadence: wordFrom(source, "cadence"),
      partitionType: wordFrom(source, "partition_type"),
      primaryOutput: wordFrom(source, "primary_output"),
      sharePlaces: places === null ? 6 : Number(places.scaled(0)),
      uncertainty: readUncertaintySetting(getFrom(source, "uncertainty")),
      tables: new Map([...(getFrom(source, "tables") ?? [])].map(([name, table]) => [name, readModelTable(table)])),
      nodes: (getFrom(source, "nodes") ?? []).map(readNode),
      cases: (getFrom(source, "cases") ?? []).map(readCase),
    };
    requireThat(Object.hasOwn(DIMENSIONS, model.partitionType), `${model.partitionType} is no partition type.`);
    model.bySlug = new Map(model.nodes.map((node) => [node.slug, node]));
    model.outputs = model.nodes.filter((node) => node.isOutput || node.slug === model.primaryOutput);
    const inputs = model.nodes.filter((node) => node.kind === "input"),
      marked = inputs.filter((node) => node.body.isPartitioning);
    model.partitioning = marked.length ? marked : inputs.slice(0, 1);
    model.ordered = orderNodes(model);
    model.surelyContributing = findContributingOutputs(model);
    model.canonical = writeCanonicalModel(model);
    return model;
  }
  function readModelTable(source) {
    const columns = getFrom(source, "columns").map((one) => {
      const [name, unit] = one instanceof Map ? [...one][0] : [one.text, null];
      return { name, unit: unit && parseUnit(unit.text) };
    });
    const rows = getFrom(source, "rows").map((row) =>
      row.map((cell) =>
        /^[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?$/.test(cell.text) && cell.isPlain
          ? parseDec(cell.text)
          : cell.text,
      ),
    );
    columns.forEach((column, at) => {
      column.isText = rows.some((row) => typeof row[at] === "string");
      if (!column.isText) column.unit ??= PLAIN_UNIT;
    });
    return { columns, rows, uncertainty: eachFrom(source, "uncertainty", readUncertainty) };
  }
  /** How well a value is known, as the canonical text has it: what is stated, but for a usual distribution. */
  function readUncertainty(source) {
    const stated = new Map(),
      isOfPercentiles = source.has("percentiles") || source.has("relative_percentiles");
    for (const [key, value] of source) {
      if (isNothing(value)) continue;
      if (value instanceof Map) stated.set(key, eachFrom(source, key, decFrom));
      else if (key === "unit") stated.set(key, parseUnit(value.text).text);
      else if (["distribution", "effect", "source"].includes(key)) stated.set(key, value.text);
      else stated.set(key, decFrom(value));
    }
    if (stated.get("distribution") === (isOfPercentiles ? "lognormal" : "normal")) stated.delete("distribution");
    return stated;
  }
  function readUncertaintySetting(source) {
    if (source === undefined) return null;
    return {
      coverage_probability: numberFrom(source, "coverage_probability") ?? parseDec("0.95"),
      correlations: (getFrom(source, "correlations") ?? []).map((one) => ({
        between: one.get("between").map((name) => name.text),
        coefficient: numberFrom(one, "coefficient"),
      })),
    };
  }
  function readExpectedUncertainty(source) {
    return source instanceof Map
      ? {
          standard_uncertainty: numberFrom(source, "standard_uncertainty"),
          degrees_of_freedom: numberFrom(source, "degrees_of_freedom"),
        }
      : { standard_uncertainty: decFrom(source) };
  }
  function readNode(source) {
    const [kind, more] = BODY_KINDS.filter((key) => getFrom(source, key) !== undefined);
    requireThat(kind && !more, `Node ${wordFrom(source, "slug")} needs exactly one way to get its value.`);
    const round = getFrom(source, "round");
    return {
      slug: wordFrom(source, "slug"),
      kind,
      body: BODY_READERS[kind](getFrom(source, kind), source),
      unit: parseUnit(source.get("unit")?.text),
      name: textFrom(source, "name"),
      description: textFrom(source, "description"),
      source: textFrom(source, "source"),
      tags: eachFrom(source, "tags", (one) => one.text.trim()),
      isOptional: truthFrom(source, "optional"),
      default: numberFrom(source, "default"),
      isOutput: truthFrom(source, "output"),
      round: round && {
        places: Number(numberFrom(round, "places").scaled(0)),
        mode: wordFrom(round, "mode") ?? "half_even",
      },
      uncertainty: getFrom(source, "uncertainty") && readUncertainty(getFrom(source, "uncertainty")),
      discount: getFrom(source, "discount") && eachFrom(source, "discount", decFrom),
    };
  }
  const BODY_READERS = {
    input(source) {
      const join = getFrom(source, "join"),
        where = wordFrom(source, "where"),
        coverage = wordFrom(source, "coverage");
      const aggregate = wordFrom(source, "aggregate"),
        shareWritten = wordFrom(source, "share");
      return {
        eventType: textFrom(source, "event_type"),
        dataPointType: textFrom(source, "data_point_type"),
        aggregate,
        weight: textFrom(source, "weight"),
        isPartitioning: truthFrom(source, "partitions"),
        shareWritten,
        share: shareWritten ?? (SHAREABLE.has(aggregate) ? "even" : "repeat"),
        shareBy: wordFrom(source, "share_by"),
        straddle: wordFrom(source, "straddle") ?? "report",
        where: where === null ? null : parseExpression(where),
        join: join ? { to: wordFrom(join, "to"), on: textFrom(join, "on") } : null,
        isAnyPeriod: wordFrom(source, "period") === "any",
        coverage:
          coverage === null
            ? null
            : coverage === "full"
              ? new Dec(100n)
              : coverage === "any"
                ? ZERO
                : parseDec(coverage.replace(/\s*%$/, "")),
        isArray: aggregate === "values",
      };
    },
    static_input(source, node) {
      const options = source instanceof Map ? source : node;
      return {
        slug: source instanceof Map ? textFrom(source, "slug") : source.text.trim(),
        at: wordFrom(options, "at"),
        by: wordFrom(options, "by"),
      };
    },
    constant: (source) => decFrom(source),
    formula: (source) => parseExpression(source.text),
    available: (source) => ({ ledger: source instanceof Map ? textFrom(source, "ledger") : source.text.trim() }),
    upstream(source) {
      const attributes = new Map(),
        written = getFrom(source, "attributes");
      for (const item of Array.isArray(written) ? written : written ? [written] : []) {
        if (item instanceof Map) for (const [slug, unit] of item) attributes.set(slug, parseUnit(unit.text));
        else attributes.set(item.text, null);
      }
      return {
        ledger: textFrom(source, "ledger"),
        amount: wordFrom(source, "amount"),
        order: wordFrom(source, "order") ?? "fifo",
        match: (getFrom(source, "match") ?? []).map((one) => one.text),
        attributes,
        isManual: wordFrom(source, "select") === "manual",
        allocationGroup: textFrom(source, "allocation_group"),
      };
    },
  };
  function readCase(source) {
    const wholeFrom = (key) => {
      const found = numberFrom(source, key);
      return found === null ? null : Number(found.scaled(0));
    };
    const listFrom = (value) => {
      const found = numbersFrom(value);
      return Array.isArray(found) ? found : [found];
    };
    return {
      name: textFrom(source, "name"),
      source: textFrom(source, "source"),
      inputs: eachFrom(source, "inputs", numbersFrom),
      expect: eachFrom(source, "expect", numbersFrom),
      places: wholeFrom("places"),
      mode: wordFrom(source, "mode") ?? "half_even",
      partition: eachFrom(source, "partition", (one) => one.text.trim()),
      durations: eachFrom(source, "durations", listFrom),
      period_days: numberFrom(source, "period_days"),
      period_hours: numberFrom(source, "period_hours"),
      uncertainties: eachFrom(source, "uncertainties", readUncertainty),
      expect_uncertainty: eachFrom(source, "expect_uncertainty", readExpectedUncertainty),
      expect_credit: eachFrom(source, "expect_credit", decFrom),
    };
  }

  /** The canonical text: JSON with sorted keys, indented by one space, without what is not there or a default. */
  function writeCanonicalModel(model) {
    return writeIndented(
      toPlain({
        name: model.name,
        about: model.about,
        cadence: model.cadence,
        partition_type: model.partitionType,
        primary_output: model.primaryOutput,
        share_places: model.sharePlaces === 6 ? null : model.sharePlaces,
        uncertainty: model.uncertainty,
        tables: new Map(
          [...model.tables].map(([name, { columns, rows, uncertainty }]) => [
            name,
            { columns: columns.map((one) => [one.name, one.isText ? null : one.unit.text]), rows, uncertainty },
          ]),
        ),
        nodes: model.nodes.map(describeNode),
        cases: model.cases.map((one) => ({ ...one, mode: one.mode === "half_even" ? null : one.mode })),
      }),
      0,
    );
  }
  function describeNode(node) {
    return {
      slug: node.slug,
      name: node.name,
      description: node.description,
      unit: node.unit.text,
      [node.kind]: describeBody(node),
      source: node.source,
      tags: node.tags,
      optional: node.isOptional,
      default: node.default,
      output: node.isOutput,
      round: node.round ?? null,
      uncertainty: node.uncertainty ?? null,
      discount: node.discount ?? null,
    };
  }
  function describeBody({ kind, body }) {
    switch (kind) {
      case "constant":
        return body;
      case "formula":
        return printExpression(body);
      case "available":
        return body.ledger;
      case "static_input":
        return { slug: body.slug, at: body.at, by: body.by };
      case "upstream":
        return {
          ledger: body.ledger,
          amount: body.amount,
          order: body.order === "fifo" ? null : body.order,
          match: body.match,
          attributes: [...body.attributes].map(([slug, unit]) => [slug, unit && unit.text]),
          select: body.isManual ? "manual" : null,
          allocation_group: body.allocationGroup,
        };
      default:
        return {
          event_type: body.eventType,
          data_point_type: body.dataPointType,
          aggregate: body.aggregate,
          weight: body.weight,
          partitions: body.isPartitioning,
          share: body.shareWritten,
          share_by: body.shareBy,
          straddle: body.straddle === "report" ? null : body.straddle,
          where: body.where && printExpression(body.where),
          join: body.join,
          period: body.isAnyPeriod ? "any" : null,
          coverage: body.coverage,
        };
    }
  }
  const isOmitted = (value) =>
    value === null ||
    value === undefined ||
    value === false ||
    (Array.isArray(value) && !value.length) ||
    (value instanceof Map && !value.size) ||
    (typeof value === "object" &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype &&
      !Object.keys(value).length);
  function toPlain(value) {
    if (value instanceof Dec) return value.toString();
    if (Array.isArray(value)) return value.map(toPlain);
    if (value === null || typeof value !== "object") return value;
    const isMap = value instanceof Map,
      entries = isMap ? [...value] : Object.entries(value);
    return Object.fromEntries(
      entries
        .filter(([, one]) => (isMap && Array.isArray(one)) || !isOmitted(one))
        .map(([key, one]) => [key, toPlain(one)]),
    );
  }
  function writeIndented(value, depth) {
    const pad = " ".repeat(depth + 1),
      end = `\n${" ".repeat(depth)}`;
    if (Array.isArray(value))
      return value.length ? `[\n${value.map((one) => pad + writeIndented(one, depth + 1)).join(",\n")}${end}]` : "[]";
    if (value !== null && typeof value === "object") {
      const keys = Object.keys(value).sort(compareTexts);
      return keys.length
        ? `{\n${keys.map((key) => `${pad}${JSON.stringify(key)}: ${writeIndented(value[key], depth + 1)}`).join(",\n")}${end}}`
        : "{}";
    }
    return JSON.stringify(value);
  }

  function listNeeds({ kind, body }) {
    let needed = [];
    if (kind === "formula")
      needed = [...walk(body)]
        .filter((one) => one.kind === "name" && one.path[0] !== "partition")
        .map((one) => one.path[0]);
    else if (kind === "input") needed = [body.join?.to, body.shareBy];
    else if (kind === "static_input") needed = [body.at];
    else if (kind === "upstream") needed = [body.amount];
    return new Set(needed.filter(Boolean));
  }
  /** Each node after all that it needs; of those that are free, the first of the document. */
  function orderNodes(model) {
    const done = new Set(),
      ordered = [];
    while (ordered.length < model.nodes.length) {
      const ready = model.nodes.find(
        (node) => !done.has(node.slug) && [...listNeeds(node)].every((slug) => done.has(slug)),
      );
      requireThat(ready, "The nodes of the model need one another, or one that is not there.");
      done.add(ready.slug);
      ordered.push(ready);
    }
    return ordered;
  }

  // ---------------------------------------------------------------------------------------------------------
  // Formulas: a value has a kind (number, text, truth), a unit if it is a number, and a content: one scalar, or an
  // array of them. In place of a scalar there may be a fault, which is an error only if the result needs it.
  // ---------------------------------------------------------------------------------------------------------

  class Fault {
    constructor(message, isMissing = false) {
      this.message = message;
      this.isMissing = isMissing;
    }
  }

  /** Apply a function element by element. */
  function spreadOver(contents, apply) {
    const lengths = new Set(contents.filter(Array.isArray).map((content) => content.length));
    if (!lengths.size) return apply(contents);
    if (lengths.size > 1) throw new NoResult("Arrays of different lengths cannot be combined.");
    const [length] = lengths;
    return Array.from({ length }, (_, at) =>
      apply(contents.map((content) => (Array.isArray(content) ? content[at] : content))),
    );
  }
  function guarded(row, apply) {
    const fault = row.find((one) => one instanceof Fault);
    if (fault) return fault;
    try {
      return apply(...row);
    } catch (error) {
      if (error instanceof NoResult) return new Fault(error.message);
      throw error;
    }
  }
  const lift = (contents, apply) => spreadOver(contents, (row) => guarded(row, apply));
  const strictly = (apply) => (contents) => lift(contents, apply);
  const isOne = (index, count) => Array.from({ length: count }, (_, at) => (at === index ? ONE : ZERO));
  const alike = (degrees) => (degrees.every((one) => one === degrees[0]) ? degrees[0] : null);
  const unknownDegree = () => null,
    constantDegree = () => 0;

  /** A whole number that is written as the exponent. */
  function writtenExponent(tree) {
    const right = tree.right,
      isNegative = right.kind === "unary" && right.operator === "-",
      inner = isNegative ? right.operand : right;
    if (inner.kind !== "number" || !inner.value.isWhole) return null;
    return (isNegative ? -1 : 1) * Number(inner.value.scaled(0));
  }
  const inResultUnit = (result, operands) =>
    operands.map((one) => (one.kind === "number" && result.kind === "number" ? result.unit : null));
  const inAbsoluteUnits = (_, operands) => operands.map((one) => absoluteUnit(one.unit));
  const inFirstUnit = (_, operands) => operands.map(() => (operands[0].kind === "number" ? operands[0].unit : null));
  const inPlain = (_, operands) => operands.map(() => PLAIN_UNIT);
  const asTheyAre = (_, operands) => operands.map(() => null);
  const firstAsItIs = () => [null];
  const ofUnit = (unit) => ({ kind: "number", unit }),
    TRUTH = () => ({ kind: "truth", unit: null });

  const sumOf = (apply, sign) => ({
    type: (_, [left]) => ofUnit(absoluteUnit(left.unit)),
    takes: inResultUnit,
    apply: strictly(apply),
    slopes: () => [ONE, sign],
    degree: alike,
  });
  const test = (apply) => ({
    type: TRUTH,
    takes: inFirstUnit,
    apply: strictly(apply),
    slopes: null,
    degree: unknownDegree,
  });
  const textTest = (apply) => ({
    type: TRUTH,
    takes: asTheyAre,
    apply: strictly(apply),
    slopes: null,
    degree: unknownDegree,
  });
  /** `and` is decided by a false operand, `or` by a true one; the other may have no result then. */
  const logic = (undecided) => ({
    type: TRUTH,
    takes: asTheyAre,
    slopes: null,
    degree: unknownDegree,
    apply: (contents) => spreadOver(contents, ([left, right]) => (left === undecided ? right : left)),
  });
  const same = (a, b) => (a instanceof Dec ? equal(a, b) : a === b);
  const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const CHARACTER_CLASSES = { d: "\\p{Nd}", w: "\\p{L}\\p{N}_", s: SPACES };
  /** A character, or a class such as \d, as the member of a class. */
  function writeMember(letter, isEscaped) {
    const members = isEscaped ? CHARACTER_CLASSES[letter.toLowerCase()] : undefined;
    if (members) return letter === letter.toLowerCase() ? `[${members}]` : `[^${members}]`;
    return `\\u{${letter.codePointAt(0).toString(16)}}`;
  }
  const compiledPatterns = new Map();
  /** A pattern of the language as a regular expression: literals, `.`, classes, counts, groups, `|`, `^` and `$`. */
  function compilePattern(pattern) {
    const letters = [...pattern];
    let written = "";
    for (let at = 0; at < letters.length; at += 1) {
      const letter = letters[at];
      if (letter === "\\") written += writeMember(letters[(at += 1)] ?? refuse("A pattern ends too early."), true);
      else if (letter !== "[")
        written += "().^$*+?{}|".includes(letter) || /[\d,]/.test(letter) ? letter : writeMember(letter);
      else {
        const isNegated = letters[at + 1] === "^";
        if (isNegated) at += 1;
        written += isNegated ? "[^" : "[";
        for (at += 1; letters[at] !== "]"; at += 1) {
          requireThat(at < letters.length, "A bracket of a pattern is not closed.");
          if (letters[at] === "\\") written += writeMember(letters[(at += 1)], true);
          else if (letters[at + 1] === "-" && letters[at + 2] !== "]") {
            written += `${writeMember(letters[at])}-${writeMember(letters[at + 2])}`;
            at += 2;
          } else written += writeMember(letters[at]);
        }
        written += "]";
      }
    }
    return new RegExp(written, "sv");
  }
  const matchesPattern = (text, pattern) => gather(compiledPatterns, pattern, () => compilePattern(pattern)).test(text);

  const OPERATORS = {
    "+": sumOf(add, ONE),
    "-": sumOf(subtract, MINUS_ONE),
    "*": {
      type: (_, [left, right]) => ofUnit(multiplyUnits(left.unit, right.unit)),
      takes: inAbsoluteUnits,
      apply: strictly(multiply),
      slopes: (_, [left, right]) => [right, left],
      degree: ([left, right]) => (left === null || right === null ? null : left + right),
    },
    "/": {
      type: (_, [left, right]) => ofUnit(divideUnits(left.unit, right.unit)),
      takes: inAbsoluteUnits,
      apply: strictly(divide),
      slopes: (_, [left, right]) => [divide(ONE, right), negate(divide(divide(left, right), right))],
      degree: ([left, right]) => (left === null || right === null ? null : left - right),
    },
    "^": {
      type: (tree, [base]) =>
        ofUnit(writtenExponent(tree) === null ? PLAIN_UNIT : powerUnit(base.unit, writtenExponent(tree))),
      takes: (result, operands, tree) =>
        writtenExponent(tree) === null ? inPlain(result, operands) : [absoluteUnit(operands[0].unit)],
      apply: (contents, tree) =>
        lift(contents, writtenExponent(tree) === null ? raise : (base) => raiseWhole(base, writtenExponent(tree))),
      slopes(tree, [base, given]) {
        const whole = writtenExponent(tree),
          exponent = whole === null ? given : new Dec(BigInt(whole));
        if (base.isZero) return [equal(exponent, ONE) ? ONE : ZERO, ZERO];
        const raised = raise(base, exponent);
        return [divide(multiply(exponent, raised), base), base.c > 0n ? multiply(raised, naturalLog(base)) : ZERO];
      },
      degree: (degrees, tree) =>
        degrees.includes(null) || writtenExponent(tree) === null ? null : degrees[0] * writtenExponent(tree),
    },
    "=": test(same),
    "!=": test((a, b) => !same(a, b)),
    "<": test((a, b) => compare(a, b) < 0),
    "<=": test((a, b) => compare(a, b) <= 0),
    ">": test((a, b) => compare(a, b) > 0),
    ">=": test((a, b) => compare(a, b) >= 0),
    contains: textTest((a, b) => a.includes(b)),
    "starts with": textTest((a, b) => a.startsWith(b)),
    "ends with": textTest((a, b) => a.endsWith(b)),
    matches: textTest(matchesPattern),
    and: logic(true),
    or: logic(false),
  };
  const NEGATIVE = {
    type: (_, [operand]) => ofUnit(absoluteUnit(operand.unit)),
    takes: inAbsoluteUnits,
    apply: strictly((a) => rounded(negate(a))),
    slopes: () => [MINUS_ONE],
    degree: alike,
  };
  const NOT = textTest((a) => !a);
  const BETWEEN = test((a, low, high) => compare(low, a) <= 0 && compare(a, high) <= 0);
  const MEMBERSHIP = test((a, ...options) => options.some((one) => same(a, one)));
  const NULL_TEST = {
    type: TRUTH,
    takes: asTheyAre,
    slopes: null,
    degree: unknownDegree,
    apply: (contents) => spreadOver(contents, ([one]) => (one instanceof Fault ? one.isMissing || one : false)),
  };
  const firstGiven = (row) => {
    const at = row.findIndex((one) => !(one instanceof Fault && one.isMissing));
    return at < 0 ? row.length - 1 : at;
  };

  const aggregateOf = (apply, slopes) => ({
    type: (_, [first]) => ofUnit(first.unit),
    takes: inResultUnit,
    degree: alike,
    apply(contents) {
      const of = (...values) => {
        if (!values.length && apply !== total) throw new NoResult("There is no element to take this of.");
        return apply(values);
      };
      if (contents.length > 1) return lift(contents, of);
      return guarded(Array.isArray(contents[0]) ? contents[0] : contents, of);
    },
    slopes: (_, row) => slopes(row),
  });
  function slopesOfMedian(values) {
    const order = values.map((_, at) => at).sort((a, b) => compare(values[a], values[b])),
      half = order.length >> 1;
    const parts = isOne(order[half], order.length);
    if (order.length % 2 === 0) parts[order[half]] = parts[order[half - 1]] = divide(ONE, TWO);
    return parts;
  }
  const indexOf = (values, value) => values.findIndex((one) => equal(one, value));
  const ofPlain = (apply, slope) => ({
    type: () => ofUnit(PLAIN_UNIT),
    takes: inPlain,
    apply: strictly(apply),
    slopes: (_, [value]) => [slope(value)],
    degree: unknownDegree,
  });
  const inOwnUnit = (apply, slopes, degree = unknownDegree) => ({
    type: (_, [first]) => ofUnit(first.unit),
    takes: inResultUnit,
    apply: strictly(apply),
    slopes: (_, row) => slopes(...row),
    degree,
  });
  const followFirst = (...row) => isOne(0, row.length);
  const wordAt = (tree, at, instead) => tree.args[at]?.text ?? instead;
  function writtenPlaces(tree) {
    const written = tree.args[1];
    if (!written) return 0;
    return written.kind === "unary" ? -Number(written.operand.value.scaled(0)) : Number(written.value.scaled(0));
  }
  const namedUnit = (tree) => parseUnit(tree.args[1].text);
  const conversion = (type, takes) => ({
    type,
    takes,
    apply: (contents) => contents[0],
    slopes: (_, row) => followFirst(...row),
    degree: (degrees, tree) => (isAbsolute(namedUnit(tree)) ? alike(degrees) : null),
  });

  function findTable(tree, environment) {
    const table = environment.model.tables.get(wordAt(tree, 0));
    requireThat(table, `There is no table ${wordAt(tree, 0)}.`);
    const column = table.columns.findIndex((one) => one.name === wordAt(tree, 1));
    requireThat(column >= 0, `The table ${wordAt(tree, 0)} has no column ${wordAt(tree, 1)}.`);
    return { rows: table.rows, key: table.columns[0], column, cell: table.columns[column] };
  }
  function findRow(tree, environment, key) {
    const { rows, column } = findTable(tree, environment),
      match = wordAt(tree, 3, "exact");
    let row;
    if (match === "exact") row = rows.find((one) => same(one[0], key));
    else if (match === "below") row = rows.findLast((one) => compare(one[0], key) <= 0);
    else row = rows.find((one) => compare(one[0], key) >= 0);
    if (!row) throw new NoResult(`The table ${wordAt(tree, 0)} has no row for ${key} (${match}).`);
    return row[column];
  }
  /** The two rows that a key is between. */
  function findLine(tree, environment, key) {
    const { rows, column } = findTable(tree, environment),
      points = rows.map((row) => [row[0], row[column]]);
    if (compare(key, points[0][0]) < 0 || compare(key, points[points.length - 1][0]) > 0)
      throw new NoResult(`${key} is outside the table ${wordAt(tree, 0)}.`);
    const above = points.findIndex(([one]) => compare(one, key) > 0),
      index = Math.min(above < 0 ? points.length : above, points.length - 1);
    return [points[Math.max(index - 1, 0)], points[index]];
  }
  function interpolate(tree, environment, key) {
    const [[low, atLow], [high, atHigh]] = findLine(tree, environment, key),
      width = exactSubtract(high, low);
    if (width.isZero) return atLow;
    return divide(
      exactAdd(exactMultiply(atLow, width), exactMultiply(exactSubtract(atHigh, atLow), exactSubtract(key, low))),
      width,
    );
  }
  const inUnitOfKey = (_, operands, tree, environment) => {
    const { key } = findTable(tree, environment);
    return [key.isText ? null : key.unit];
  };
  const typeOfCell = (tree, _, environment) => {
    const { cell } = findTable(tree, environment);
    return cell.isText ? { kind: "text", unit: null } : ofUnit(cell.unit);
  };
  const ofSlot = (unit, read) => ({
    type: () => ofUnit(parseUnit(unit)),
    takes: asTheyAre,
    apply: (_, tree, environment) => read(environment, tree),
    slopes: null,
    degree: constantDegree,
  });

  const FUNCTIONS = {
    sum: aggregateOf(total, (row) => row.map(() => ONE)),
    average: aggregateOf(average, (row) => row.map(() => divide(ONE, new Dec(BigInt(row.length))))),
    min: aggregateOf(least, (row) => isOne(indexOf(row, least(row)), row.length)),
    max: aggregateOf(greatest, (row) => isOne(indexOf(row, greatest(row)), row.length)),
    median: aggregateOf(median, slopesOfMedian),
    count: {
      type: () => ofUnit(PLAIN_UNIT),
      takes: asTheyAre,
      apply: ([content]) => new Dec(BigInt(Array.isArray(content) ? content.length : 1)),
      slopes: null,
      degree: constantDegree,
    },
    abs: inOwnUnit(
      (a) => rounded(magnitude(a)),
      (a) => [a.c > 0n ? ONE : a.c < 0n ? MINUS_ONE : ZERO],
      alike,
    ),
    round: {
      type: (_, [first]) => ofUnit(first.unit),
      takes: firstAsItIs,
      slopes: (_, row) => followFirst(...row),
      degree: unknownDegree,
      apply: (contents, tree) => lift(contents, (a) => roundTo(a, writtenPlaces(tree), wordAt(tree, 2, "half_even"))),
    },
    floor: inOwnUnit((a) => roundTo(a, 0, "floor"), followFirst),
    ceil: inOwnUnit((a) => roundTo(a, 0, "ceiling"), followFirst),
    clamp: inOwnUnit(
      (a, low, high) => {
        if (compare(low, high) > 0) throw new NoResult("clamp needs low not above high.");
        return least([greatest([a, low]), high]);
      },
      (a, low, high) => isOne(compare(a, low) < 0 ? 1 : compare(a, high) > 0 ? 2 : 0, 3),
      alike,
    ),
    sqrt: {
      type: (_, [first]) => ofUnit(first.unit.dimensions ? rootUnit(first.unit) : PLAIN_UNIT),
      takes: (_, [first]) => [first.unit.dimensions ? null : PLAIN_UNIT],
      apply: strictly(squareRoot),
      degree: unknownDegree,
      slopes: (_, [value]) => {
        const root = squareRoot(value);
        return [root.isZero ? ZERO : divide(ONE, multiply(TWO, root))];
      },
    },
    exp: ofPlain(exponential, exponential),
    ln: ofPlain(naturalLog, (value) => divide(ONE, value)),
    log10: ofPlain(commonLog, (value) => divide(ONE, multiply(value, naturalLog(new Dec(1n, 1))))),
    if: {
      type: (_, [, first]) => ({ kind: first.kind, unit: first.unit }),
      takes: inResultUnit,
      degree: (degrees) => alike(degrees.slice(1)),
      apply: (contents) =>
        spreadOver(contents, ([condition, yes, no]) => (condition instanceof Fault ? condition : condition ? yes : no)),
      slopes: (_, row) => isOne(row[0] === true ? 1 : 2, 3),
    },
    coalesce: {
      type: (_, [first]) => ({ kind: first.kind, unit: first.unit }),
      takes: inResultUnit,
      degree: alike,
      apply: (contents) => spreadOver(contents, (row) => row[firstGiven(row)]),
      slopes: (_, row) => isOne(firstGiven(row), row.length),
    },
    lookup: {
      type: typeOfCell,
      takes: inUnitOfKey,
      apply: (contents, tree, environment) => lift(contents, (key) => findRow(tree, environment, key)),
      slopes: null,
      degree: unknownDegree,
    },
    interpolate: {
      type: typeOfCell,
      takes: inUnitOfKey,
      degree: unknownDegree,
      apply: (contents, tree, environment) => lift(contents, (key) => interpolate(tree, environment, key)),
      slopes(tree, [key], environment) {
        const [[low, atLow], [high, atHigh]] = findLine(tree, environment, key);
        return [compare(high, low) <= 0 ? ZERO : divide(exactSubtract(atHigh, atLow), exactSubtract(high, low))];
      },
    },
    to: conversion((tree) => ofUnit(namedUnit(tree)), inResultUnit),
    value: conversion(
      () => ofUnit(PLAIN_UNIT),
      (_, operands, tree) => [namedUnit(tree)],
    ),
    quantity: conversion((tree) => ofUnit(namedUnit(tree)), inPlain),
    duration_hours: ofSlot(
      "h",
      (environment, tree) =>
        environment.durations.get(nameOf(tree.args[0])) ?? refuse("The durations of an input are not known."),
    ),
    period_days: ofSlot("d", (environment) => environment.periodDays()),
    period_hours: ofSlot("h", (environment) => environment.periodHours),
  };
  function findOperation(tree) {
    switch (tree.kind) {
      case "binary":
        return OPERATORS[tree.operator];
      case "unary":
        return tree.operator === "not" ? NOT : NEGATIVE;
      case "between":
        return BETWEEN;
      case "in":
        return MEMBERSHIP;
      case "null":
        return NULL_TEST;
      default:
        return FUNCTIONS[tree.name];
    }
  }
  function convertContent(step, unit) {
    if (unit === null || unit === undefined || sameUnit(step.unit, unit)) return step.content;
    return lift([step.content], (amount) => convert(amount, step.unit, unit));
  }

  /**
   * What a tree comes to, with the inputs whose events its elements follow, and with what each of its parts came to, so
   * that it can be walked backwards.
   */
  const isTableRead = (tree) => tree.name === "lookup" || tree.name === "interpolate";
  function evaluate(tree, environment) {
    switch (tree.kind) {
      case "number":
        return {
          tree,
          kind: "number",
          unit: PLAIN_UNIT,
          content: tree.value,
          operands: [],
          isVarying: false,
          follows: [],
        };
      case "text":
      case "truth":
        return { tree, kind: tree.kind, unit: null, content: tree.value, operands: [], isVarying: false, follows: [] };
      case "name": {
        const value = environment.values.get(nameOf(tree)),
          missing = new Fault(`${nameOf(tree)} has no value.`, true);
        requireThat(value, `There is no ${nameOf(tree)}.`);
        return {
          tree,
          kind: value.kind,
          unit: value.unit,
          content: value.content ?? missing,
          operands: [],
          isVarying: true,
          follows: value.follows ?? [],
        };
      }
    }
    const operation = findOperation(tree);
    const operands = listChildren(tree)
      .filter((one) => one.kind !== "word")
      .map((one) => evaluate(one, environment));
    const result = operation.type(tree, operands, environment),
      units = operation.takes(result, operands, tree, environment);
    const taken = operands.slice(0, units.length).map((one, at) => convertContent(one, units[at]));
    const content = operation.apply(taken, tree, environment),
      followed = [...new Set(operands.flatMap((one) => one.follows))];
    for (const slug of followed.slice(1)) environment.requireParallel(followed[0], slug);
    const isVarying = isTableRead(tree) || operands.some((one) => one.isVarying),
      follows = Array.isArray(content) ? followed : [];
    return { tree, ...result, content, operation, operands, units, taken, isVarying, follows };
  }
  function requireContent(content) {
    const fault = (Array.isArray(content) ? content : [content]).find((one) => one instanceof Fault);
    if (fault) throw new NoResult(fault.message);
    return content;
  }

  // How fast a result changes with the values that it is made of: from the result back, by the rules of calculus.

  const scaleGradient = (gradient, factor) =>
    equal(factor, ONE)
      ? gradient
      : Array.isArray(gradient)
        ? gradient.map((one) => multiply(one, factor))
        : multiply(gradient, factor);
  function addGradients(one, other) {
    if (one === undefined) return other;
    return Array.isArray(one) ? one.map((part, at) => add(part, other[at])) : add(one, other);
  }
  /** `outer` is how fast something changes with the result in `unit`; what it is for each name, in its own unit. */
  function findGradients(step, outer, unit, environment, reads = null) {
    const gradients = new Map();
    descend(step, scaleGradient(outer, findSlope(step.unit, unit)), gradients, environment, reads);
    return gradients;
  }
  function descend(step, outer, gradients, environment, reads) {
    const isAny = Array.isArray(outer) ? outer.some((one) => !one.isZero) : !outer.isZero;
    if (step.kind !== "number" || !isAny) return;
    if (reads && step.operation && isTableRead(step.tree)) reads.push({ step, gradient: outer });
    if (step.tree.kind === "name")
      gradients.set(nameOf(step.tree), addGradients(gradients.get(nameOf(step.tree)), outer));
    else if (step.operation?.slopes) {
      const inner = findOperandGradients(step, outer, environment);
      inner.forEach((gradient, at) => {
        const operand = step.operands[at],
          unit = step.units[at];
        if (operand.isVarying)
          descend(
            operand,
            unit ? scaleGradient(gradient, findSlope(operand.unit, unit)) : gradient,
            gradients,
            environment,
            reads,
          );
      });
    }
  }
  function findOperandGradients(step, outer, environment) {
    const slopes = (row) => {
      try {
        return step.operation.slopes(step.tree, row, environment);
      } catch (error) {
        if (error instanceof NoResult) return row.map(() => ZERO);
        throw error;
      }
    };
    if (!Array.isArray(outer)) {
      if (step.taken.length === 1 && Array.isArray(step.taken[0]))
        return [slopes(step.taken[0]).map((part) => multiply(outer, part))];
      return slopes(step.taken)
        .slice(0, step.taken.length)
        .map((part) => multiply(outer, part));
    }
    const columns = step.taken.map(() => []);
    outer.forEach((gradient, at) => {
      const row = step.taken.map((content) => (Array.isArray(content) ? content[at] : content));
      const parts = gradient.isZero ? row.map(() => ZERO) : slopes(row);
      columns.forEach((column, index) => column.push(multiply(gradient, parts[index])));
    });
    return columns.map((column, at) => (Array.isArray(step.taken[at]) ? column : total(column)));
  }

  // Outputs that change with the data whatever they come to, unless they are zero: all that they rest on is measured
  // when all data were captured. They are found by how a result grows when some inputs grow by one factor.

  function findContributingOutputs(model) {
    const isPlain = (node) =>
      !node.round &&
      isAbsolute(node.unit) &&
      !(["input", "upstream"].includes(node.kind) && node.default && !node.default.isZero);
    const found = new Set();
    if (!model.nodes.every(isPlain)) return found;
    const data = model.nodes
      .filter((node) => node.kind === "input" || node.kind === "upstream")
      .map((node) => node.slug);
    for (const growing of [data, ...data.slice(0, 20).map((slug) => [slug])]) {
      const degrees = new Map();
      for (const node of model.ordered)
        degrees.set(
          node.slug,
          node.kind === "formula" ? findDegree(node.body, degrees) : growing.includes(node.slug) ? 1 : 0,
        );
      for (const node of model.outputs) if (degrees.get(node.slug)) found.add(node.slug);
    }
    return found;
  }
  function findDegree(tree, degrees) {
    if (tree.kind === "name") return degrees.get(nameOf(tree)) ?? (degrees.has(nameOf(tree)) ? null : 0);
    if (["number", "text", "truth"].includes(tree.kind)) return 0;
    const own = listChildren(tree)
      .filter((one) => one.kind !== "word")
      .map((one) => findDegree(one, degrees));
    return own.every((one) => one === 0) ? 0 : findOperation(tree).degree(own, tree);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Time: moments are milliseconds; the wall clock of a zone is shown as milliseconds too, as if it were UTC.
  // ---------------------------------------------------------------------------------------------------------

  const HOUR = 3600000,
    DAY = 24 * HOUR;
  const clocks = new Map();
  function offsetAt(moment, zone) {
    if (zone === "UTC") return 0;
    if (!clocks.has(zone)) {
      clocks.set(
        zone,
        new Intl.DateTimeFormat("en-US", {
          timeZone: zone,
          calendar: "gregory",
          numberingSystem: "latn",
          hourCycle: "h23",
          era: "short",
          year: "numeric",
          month: "numeric",
          day: "numeric",
          hour: "numeric",
          minute: "numeric",
          second: "numeric",
        }),
      );
    }
    const shown = Object.fromEntries(
      clocks
        .get(zone)
        .formatToParts(moment)
        .map((part) => [part.type, part.value]),
    );
    const wall = Date.UTC(
      Number(shown.year),
      Number(shown.month) - 1,
      Number(shown.day),
      Number(shown.hour),
      Number(shown.minute),
      Number(shown.second),
    );
    return wall - Math.floor(moment / 1000) * 1000;
  }
  const wallAt = (moment, zone) => moment + offsetAt(moment, zone);
  /** When the wall shows a time: of two moments the first, or with `fold` the second; of none, by the clock before. */
  function momentOf(wall, zone, fold = 0) {
    const before = offsetAt(wall - DAY, zone),
      after = offsetAt(wall + DAY, zone);
    const first = wall - before,
      second = wall - after;
    if (before === after) return first;
    const isFirst = wallAt(first, zone) === wall,
      isSecond = wallAt(second, zone) === wall;
    if (isFirst !== isSecond) return isFirst ? first : second;
    return fold ? second : first;
  }
  const floorTo = (wall, length) => Math.floor(wall / length) * length;
  function floorToMonths(wall, months) {
    const date = new Date(wall),
      month = Math.floor(date.getUTCMonth() / months) * months;
    const floored = new Date(0);
    floored.setUTCFullYear(date.getUTCFullYear(), month, 1);
    return floored.getTime();
  }
  const floorToWeek = (wall) => floorTo(wall, DAY) - ((new Date(wall).getUTCDay() + 6) % 7) * DAY;
  const FLOORS = {
    hourly: (wall) => floorTo(wall, HOUR),
    daily: (wall) => floorTo(wall, DAY),
    weekly: floorToWeek,
    monthly: (wall) => floorToMonths(wall, 1),
    quarterly: (wall) => floorToMonths(wall, 3),
    annual: (wall) => floorToMonths(wall, 12),
  };
  const LATER = {
    hourly: HOUR,
    daily: DAY,
    weekly: 7 * DAY,
    monthly: 33 * DAY,
    quarterly: 94 * DAY,
    annual: 368 * DAY,
  };

  /** The last cut at or before a moment: hours are cut each time that the clock shows them, longer slots once. */
  function findCut(cadence, moment, zone) {
    const floor = FLOORS[cadence],
      wall = wallAt(moment, zone),
      own = floor(wall),
      ahead = momentOf(floor(wall + HOUR), zone);
    const passed = [momentOf(own, zone, 0), momentOf(own, zone, 1)].filter((cut) => cut <= moment);
    const latest = cadence === "hourly" ? Math.max(...passed) : passed[0];
    return ahead <= moment ? Math.max(latest, ahead) : latest;
  }
  function findSlot(cadence, moment, zone) {
    const start = findCut(cadence, moment, zone);
    for (let probe = start + LATER[cadence]; ; probe += HOUR) {
      const end = findCut(cadence, probe, zone);
      if (end > start) return { start, end };
    }
  }
  function labelSlot(cadence, slot, zone) {
    const wall = wallAt(slot.start, zone),
      text = new Date(wall).toISOString(),
      year = text.slice(0, 4);
    switch (cadence) {
      case "hourly": {
        const minutes = (wall - slot.start) / 60000,
          size = Math.abs(minutes),
          two = (n) => String(n).padStart(2, "0");
        return `${text.slice(0, 13)}:00${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${two(size % 60)}`;
      }
      case "daily":
        return text.slice(0, 10);
      case "weekly": {
        const thursday = floorToWeek(wall) + 3 * DAY,
          first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
        return `${new Date(thursday).getUTCFullYear()}-W${String(Math.floor((thursday - first) / DAY / 7) + 1).padStart(2, "0")}`;
      }
      case "monthly":
        return text.slice(0, 7);
      case "quarterly":
        return `${Number(year)}-Q${Math.floor((Number(text.slice(5, 7)) - 1) / 3) + 1}`;
      default:
        return String(Number(year));
    }
  }
  const divideFraction = ({ n, d }) => divide(new Dec(n), new Dec(d));
  const countHours = (slot) => divideFraction(fraction(BigInt(slot.end - slot.start), BigInt(HOUR)));
  /** Days of the calendar; part of a day counts as its part of that day. */
  function countDays(slot, zone) {
    const first = findSlot("daily", slot.start, zone),
      last = findSlot("daily", slot.end, zone);
    const passed = (day, moment) => fraction(BigInt(moment - day.start), BigInt(day.end - day.start));
    const whole = fraction(BigInt(Math.round((last.start - first.start) / DAY)));
    const after = passed(last, slot.end),
      before = passed(first, slot.start);
    return divideFraction(subtractFractions(fraction(whole.n * after.d + after.n, after.d), before));
  }
  const isReading = (time) => time.start === time.end;
  function holds(outer, inner) {
    return isReading(inner)
      ? outer.start <= inner.start && inner.start < outer.end
      : outer.start <= inner.start && inner.end <= outer.end;
  }
  function overlapOf(a, b) {
    const start = Math.max(a.start, b.start),
      end = Math.min(a.end, b.end);
    return start < end ? { start, end } : null;
  }

  // ---------------------------------------------------------------------------------------------------------
  // Dividing: partitions of a slot, parts of an amount, and what an amount rests on.
  // ---------------------------------------------------------------------------------------------------------

  const TAGS = ["tracking_id", "feedstock", "asset"];
  const partitionKey = (partition) => JSON.stringify(TAGS.map((tag) => partition[tag] ?? null));
  const isWholePartition = (partition, type) => DIMENSIONS[type].every((dimension) => partition[dimension] !== null);
  const agrees = (a, b) => TAGS.every((tag) => a[tag] === null || b[tag] === null || a[tag] === b[tag]);
  function labelPartition(partition) {
    const values = TAGS.map((tag) => partition[tag]).filter(Boolean);
    if (values.length === 1) return values[0];
    return values.map((value) => (/[/"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(" / ");
  }
  const comparePartitions = (a, b) =>
    compareKeys(
      TAGS.map((tag) => a[tag] ?? ""),
      TAGS.map((tag) => b[tag] ?? ""),
    );

  /** Parts of a whole in proportion to weights, cut at places; they sum to it. */
  function divideWhole(whole, weights, places) {
    if (weights.some((one) => one.c < 0n)) throw new NoResult("A weight is negative.");
    const fineness = Math.max(0, ...weights.map((one) => -one.e)),
      shares = weights.map((one) => one.scaled(fineness));
    const sum = shares.reduce((a, b) => a + b, 0n);
    if (sum === 0n) throw new NoResult("The weights sum to zero.");
    const units = whole.scaled(places),
      size = absolute(units);
    const counts = shares.map((share) => (size * share) / sum),
      rests = shares.map((share) => (size * share) % sum);
    const left = Number(size - counts.reduce((a, b) => a + b, 0n));
    const order = shares
      .map((_, at) => at)
      .sort((a, b) => (rests[b] > rests[a] ? 1 : rests[b] < rests[a] ? -1 : a - b));
    for (const at of order.slice(0, left)) counts[at] += 1n;
    const parts = counts.map((count) => new Dec(units < 0n ? -count : count, -places));
    const beyond = exactSubtract(whole, new Dec(units, -places)),
      first = shares.findIndex((share) => share !== 0n);
    parts[first] = exactAdd(parts[first], beyond);
    if (parts.some((part) => countDigits(part.c) > DIGITS))
      throw new NoResult("A part has more digits than a number holds.");
    return parts;
  }
  /** The part of a value that falls to a slot by time, as the difference of two running amounts. */
  function prorate(value, time, slot) {
    const length = BigInt(time.end - time.start);
    if (value.isZero || length === 0n || holds(slot, time)) return value;
    const quantum = value.adjusted - DIGITS + 1,
      units = value.scaled(-quantum);
    const upTo = (moment) => {
      const passed = BigInt(moment - time.start);
      return divideRounded(units * (passed < 0n ? 0n : passed > length ? length : passed), length, "half_even");
    };
    return new Dec(upTo(slot.end) - upTo(slot.start), quantum);
  }
  const hoursOf = (time) => divide(new Dec(BigInt(time.end - time.start)), new Dec(BigInt(HOUR)));

  /** Sources of values, from measured to estimated. Contributions are a Map by source; null is unknown. */
  const SOURCES = ["captured", "manual", "adjusted", "substituted", "imputed"];
  const OF_ORIGIN = { manual: "manual", adjustment: "adjusted", substitution: "substituted" };
  const leastMeasured = (sources) =>
    sources.reduce((a, b) => (SOURCES.indexOf(b) > SOURCES.indexOf(a) ? b : a), "captured");
  /** Sizes have 28 digits. */
  function sizeOf(a) {
    const over = countDigits(a.c) - 28,
      size = magnitude(a);
    return over > 0 ? new Dec(divideRounded(size.c, tenTo(over), "half_even"), size.e + over) : size;
  }
  function addContributions(parts) {
    const columns = new Map(SOURCES.map((source) => [source, []]));
    for (const part of parts) for (const [source, amount] of part) columns.get(source).push(amount);
    return new Map(
      [...columns].map(([source, amounts]) => [source, total(amounts)]).filter(([, amount]) => !amount.isZero),
    );
  }
  const scaleContributions = (contributions, rate) =>
    new Map([...contributions].map(([source, amount]) => [source, multiply(amount, sizeOf(rate))]));
  function spreadContributions(amount, contributions) {
    const whole = exactTotal([...contributions.values()]);
    if (whole.isZero) return new Map();
    return new Map([...contributions].map(([source, one]) => [source, divide(multiply(one, sizeOf(amount)), whole)]));
  }
  const toAbsolute = (value, unit) => (isAbsolute(unit) ? value : convert(value, unit, absoluteUnit(unit)));

  // ---------------------------------------------------------------------------------------------------------
  // Inputs: what a batch read, in groups of equal tags. A group that sums addFault enough of has pairs of values and
  // weights; the others have elements in the order of time.
  // ---------------------------------------------------------------------------------------------------------

  const SUMMED = new Set(["sum", "average", "min", "max", "count"]);
  const isSummed = (body) =>
    SUMMED.has(body.aggregate) && !body.join && body.straddle !== "prorate" && !body.isAnyPeriod;

  /** Whether a slot has an event by its time; one that is joined whatever its date is in none. */
  function isOfSlot(slot, body, time) {
    if (body.isAnyPeriod) return false;
    const begins = slot.start <= time.start && time.start < slot.end,
      ends = time.end > slot.start && time.end <= slot.end;
    if (body.aggregate === "delta") return isReading(time) ? slot.start < time.start && time.start <= slot.end : ends;
    if (body.straddle === "start") return begins;
    if (body.straddle === "end") return isReading(time) ? begins : ends;
    if (body.straddle === "prorate") return begins || (time.start < slot.start && slot.start < time.end);
    return begins && time.end <= slot.end;
  }

  /** The events of the batches in sets that the same nodes read; each event once, as the newest batch saw it. */
  function listSources(contents, model, batches) {
    const sources = new Map();
    for (const number of batches) {
      for (const read of contents.lineage.get(number).inputs) {
        for (const slug of read.nodes) {
          const node = model.bySlug.get(slug);
          requireThat(
            node?.kind === "input" && node.body.eventType === read.event_type,
            `Node ${slug} reads no events of ${read.event_type}.`,
          );
        }
        const source = gather(sources, read.nodes.join("\n"), () => ({
          eventType: read.event_type,
          nodes: read.nodes,
          versions: new Map(),
          readers: new Map(),
        }));
        for (const event of parseRanges(read.events)) {
          source.versions.set(event, read.versions[event] ?? 0);
          source.readers.set(event, number);
        }
        for (const event of Object.keys(read.versions)) source.versions.set(Number(event), read.versions[event]);
      }
    }
    return [...sources.values()];
  }
  /** The corrections in force for the newest of some batches that read each event, by event and field. */
  function listCorrections(contents, batches) {
    const newest = new Map(),
      found = new Map();
    for (const number of batches)
      for (const read of contents.lineage.get(number).inputs)
        for (const event of parseRanges(read.events)) newest.set(event, number);
    for (const number of batches) {
      for (const one of parseRanges(contents.lineage.get(number).corrections)) {
        const row = contents.corrections.get(one);
        if (newest.get(row.event) === number)
          found.set(`${row.event}/${row.data_point}`, { number: one, origin: row.origin, batch: number });
      }
    }
    return found;
  }
  function groupEvents(contents, model, slot, source, corrections, oneByOne) {
    const inputs = source.nodes.map((slug) => model.bySlug.get(slug)),
      file = contents.events.get(source.eventType);
    const keys = [...source.versions].sort(([a], [b]) => a - b);
    const events = keys.map(([event, version]) => {
      const row = findEvent(contents, source.eventType, event, version);
      file.read.add(`${event}/${version}`);
      return row;
    });
    const sourceOf = (row, point) => {
      const origin = corrections.get(`${row.event}/${point}`)?.origin,
        without = row.is_imputed ? "imputed" : "captured";
      if (row.is_imputed && origin === "substitution") return "imputed";
      return OF_ORIGIN[origin] ?? without;
    };
    const isOfElements = inputs.some((node) => !isSummed(node.body) || oneByOne.has(node.slug)),
      dimensions = DIMENSIONS[model.partitionType];
    const tagsOf = (row) => Object.fromEntries(TAGS.map((tag) => [tag, dimensions.includes(tag) ? row[tag] : null]));
    const read = isOfElements
      ? orderElements(contents, model, inputs, events).map((row, rank) => ({
          row,
          rank,
          event: row.event,
          time: { start: row.start_time, end: row.end_time },
          isOfSlot: isOfSlot(slot, inputs[0].body, { start: row.start_time, end: row.end_time }),
          value: (point) => row[`.${point}`],
          source: (point) => sourceOf(row, point),
          meter: row.asset !== null ? `asset ${row.asset}` : row.location !== null ? `location ${row.location}` : "",
        }))
      : events;
    const byTags = new Map();
    for (const one of read) {
      const tags = tagsOf(one.row ?? one);
      gather(byTags, partitionKey(tags), () => ({
        tags,
        source,
        nodes: new Set(source.nodes),
        isOfElements,
        members: [],
      })).members.push(one);
    }
    const points = contents.points.get(source.eventType).map((point) => point.data_point);
    return [...byTags.values()].map((group) => {
      if (isOfElements) {
        return {
          ...group,
          elements: group.members,
          isOfSlot: group.members.some((one) => one.isOfSlot),
          isCaptured: group.members.every((one) => points.every((point) => one.source(point) === "captured")),
        };
      }
      for (const row of group.members) {
        const time = { start: row.start_time, end: row.end_time };
        requireThat(
          slot.byEvent || inputs.some((node) => isOfSlot(slot, node.body, time)),
          `Event ${row.event} is of another slot.`,
        );
      }
      const pairs = new Map(
        inputs.map(({ slug, body }) => [
          slug,
          group.members
            .filter((row) => row[`.${body.dataPointType}`] !== null)
            .map((row) => ({
              value: body.aggregate === "count" ? ONE : row[`.${body.dataPointType}`],
              weight: body.weight ? (row[`.${body.weight}`] ?? null) : null,
              row,
              source: leastMeasured(
                [body.dataPointType, body.weight].filter(Boolean).map((point) => sourceOf(row, point)),
              ),
            })),
        ]),
      );
      const isCaptured = [...pairs.values()].every((some) => some.every((pair) => pair.source === "captured"));
      return { ...group, elements: [], pairs, isOfSlot: true, isCaptured };
    });
  }
  /** Elements by start, end, tracking id, reference, the values that are read, names, number; no value comes last. */
  function orderElements(contents, model, inputs, events) {
    const there = new Set(contents.points.get(inputs[0].body.eventType).map((point) => point.data_point)),
      ranking = new Set();
    const all = model.nodes.filter((node) => node.kind === "input"),
      selection = selectionOf(inputs[0].body);
    for (const { slug, body } of all) {
      if (selectionOf(body) !== selection) continue;
      const named = [body.dataPointType, body.weight, joinPointOf(body)];
      for (const { body: other } of all) {
        if (other.join?.to !== slug) continue;
        const own = new Set((contents.points.get(other.eventType) ?? []).map((point) => point.data_point));
        named.push(joinPointOf(other), own.has(other.weight) ? null : other.weight);
      }
      for (const point of named) if (point && there.has(point)) ranking.add(point);
    }
    const keyOf = (row) => [
      row.tracking_id,
      row.client_reference,
      ...[...ranking].map((point) => row[`.${point}`]),
      row.feedstock,
      row.asset,
      row.location,
    ];
    const keyed = events.map((row) => ({ row, key: keyOf(row) }));
    const rank = (a, b) => {
      if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
      if (a instanceof Dec) return compare(a, b);
      return typeof a === "string" ? compareTexts(a, b) : Number(a) - Number(b);
    };
    keyed.sort(
      (a, b) =>
        a.row.start_time - b.row.start_time ||
        a.row.end_time - b.row.end_time ||
        a.key.reduce((order, one, at) => order || rank(one, b.key[at]), 0) ||
        a.row.event - b.row.event,
    );
    return keyed.map((one) => one.row);
  }
  const joinPointOf = (body) =>
    body.join && !["tracking_id", "interval"].includes(body.join.on) ? body.join.on : null;
  /** What inputs have in common that find the same events. */
  function selectionOf(body) {
    const window = body.isAnyPeriod
      ? ["any", body.join]
      : body.aggregate === "delta"
        ? ["counted"]
        : [body.straddle, body.aggregate === "time_weighted"];
    return JSON.stringify([body.eventType, body.where && printExpression(body.where), ...window]);
  }

  // Aggregates of pairs: exact sums, rounded once.

  function aggregatePairs(body, pairs) {
    if (body.aggregate === "count") return new Dec(BigInt(pairs.length));
    if (!pairs.length) return null;
    const values = pairs.map((pair) => pair.value);
    switch (body.aggregate) {
      case "sum":
        return total(values);
      case "min":
        return least(values);
      case "max":
        return greatest(values);
      default: {
        if (!body.weight) return average(values);
        const weighed = pairs.filter((pair) => pair.weight !== null);
        return divide(
          exactTotal(weighed.map((pair) => exactMultiply(pair.value, pair.weight))),
          exactTotal(weighed.map((pair) => pair.weight)),
        );
      }
    }
  }
  /** What contributes to an aggregate of pairs, in the absolute unit of their unit. */
  function contributePairs(body, pairs, unit) {
    if (!pairs.length) return new Map();
    const bySource = new Map();
    for (const pair of pairs) gather(bySource, pair.source, () => []).push(pair);
    if (body.aggregate === "count")
      return new Map([...bySource].map(([source, some]) => [source, new Dec(BigInt(some.length))]));
    if (body.aggregate === "min" || body.aggregate === "max") {
      const pick = body.aggregate === "min" ? least : greatest,
        value = pick(pairs.map((pair) => pair.value));
      const holding = [...bySource]
        .filter(([, some]) => equal(pick(some.map((pair) => pair.value)), value))
        .map(([source]) => source);
      return new Map([[leastMeasured(holding), sizeOf(toAbsolute(value, unit))]]);
    }
    const isWeighted = body.aggregate === "average" && Boolean(body.weight),
      weighed = pairs.filter((pair) => pair.weight !== null);
    let divisor = ONE;
    if (body.aggregate === "average")
      divisor = isWeighted ? sizeOf(exactTotal(weighed.map((pair) => pair.weight))) : new Dec(BigInt(pairs.length));
    if (divisor.isZero) return new Map();
    return new Map(
      [...bySource].map(([source, some]) => [source, divide(addMagnitudes(some, unit, isWeighted), divisor)]),
    );
  }
  function addMagnitudes(pairs, unit, isWeighted) {
    const weighed = pairs.filter((pair) => pair.weight !== null);
    const products = weighed.map((pair) => exactMultiply(pair.value, pair.weight)),
      values = pairs.map((pair) => pair.value);
    const whole = exactTotal(isWeighted ? products : values);
    if (isAbsolute(unit))
      return exactSubtract(
        whole,
        exactMultiply(TWO, exactTotal((products.length ? products : values).filter((one) => one.c < 0n))),
      );
    const count = isWeighted ? exactTotal(weighed.map((pair) => pair.weight)) : new Dec(BigInt(pairs.length));
    const [slope, shift, divisor] = findConversion(unit, absoluteUnit(unit));
    return sizeOf(divide(exactAdd(exactMultiply(whole, slope), exactMultiply(count, shift)), divisor));
  }
  const contributeTerms = (terms) =>
    addContributions(terms.map(([amount, source]) => new Map([[source, sizeOf(amount)]])));

  // Readings: an element with what it counts for in the slot, meter by meter.

  function groupByMeter(readings) {
    const groups = new Map();
    readings.forEach((reading, index) => gather(groups, reading.meter, () => []).push({ ...reading, index }));
    return [...groups.values()];
  }
  /** The time that each reading counts for; of a meter whose readings have no length, until its next one or the slot's end. */
  function listStretches(readings, slot) {
    return groupByMeter(readings).flatMap((some) => {
      if (!some.every((one) => isReading(one.time))) return some;
      return some.map((one, at) => {
        const start = one.time.start,
          end = at + 1 < some.length ? some[at + 1].time.start : Math.max(slot.end, start);
        return { ...one, time: { start, end } };
      });
    });
  }
  function weighByTime(readings, slot) {
    const inside = listStretches(readings, slot)
      .map((one) => ({ ...one, overlap: overlapOf(slot, one.time) }))
      .filter((one) => one.overlap);
    const lengths = inside.map((one) => new Dec(BigInt(one.overlap.end - one.overlap.start)));
    return { inside, lengths, whole: exactTotal(lengths) };
  }
  function averageOverTime(readings, slot) {
    const { inside, lengths, whole } = weighByTime(readings, slot);
    return whole.isZero
      ? null
      : divide(exactTotal(inside.map((one, at) => exactMultiply(one.value, lengths[at]))), whole);
  }
  /** What totalisers counted from reading to reading; a fall means that a meter began again at zero. */
  function listSteps(readings, slot) {
    return groupByMeter(readings).flatMap((some) => {
      const before = some.filter((one) => one.time.end <= slot.start).slice(-1),
        during = some.filter((one) => slot.start < one.time.end && one.time.end <= slot.end);
      const used = [...before, ...during];
      return used.slice(1).map((late, at) => {
        const early = used[at];
        return {
          early: early.index,
          late: late.index,
          amount: compare(late.value, early.value) >= 0 ? exactSubtract(late.value, early.value) : late.value,
        };
      });
    });
  }
  function aggregateReadings(aggregate, readings, slot) {
    const values = readings.map((one) => one.value);
    switch (aggregate) {
      case "first":
        return values[0];
      case "last":
        return values[values.length - 1];
      case "median":
        return median(values);
      case "time_weighted":
        return averageOverTime(readings, slot);
      default:
        return refuse(`${aggregate} is no aggregate.`);
    }
  }
  /** How fast an aggregate of readings changes with each, by their indexes. */
  function listRates(aggregate, readings, slot) {
    if (!readings.length) return [];
    if (aggregate === "first") return [[0, ONE]];
    if (aggregate === "last") return [[readings.length - 1, ONE]];
    if (aggregate === "median")
      return slopesOfMedian(readings.map((one) => one.value))
        .map((rate, at) => [at, rate])
        .filter(([, rate]) => !rate.isZero);
    const { inside, lengths, whole } = weighByTime(readings, slot);
    return whole.isZero ? [] : inside.map((one, at) => [one.index, divide(lengths[at], whole)]);
  }

  // ---------------------------------------------------------------------------------------------------------
  // A slot is calculated again: its partitions, and their nodes one after the other.
  // ---------------------------------------------------------------------------------------------------------

  const slotOf = (batch) => ({ start: batch.start_time, end: batch.end_time, byEvent: batch.by_event });
  const partitionOf = (batch) => ({
    tracking_id: batch.run_tracking_id,
    feedstock: batch.feedstock,
    asset: batch.asset,
  });

  class SlotCalculation {
    constructor(contents, line) {
      this.contents = contents;
      this.model = contents.documents.get(line.model);
      this.zone = contents.manifest.time_zone;
      this.slot = slotOf(contents.batches.get(Math.max(...line.batches)));
      const newest = new Map();
      for (const number of [...line.batches, ...line.alongside].sort((a, b) => a - b))
        newest.set(contents.batches.get(number).run, number);
      this.chosen = [...newest.values()].sort((a, b) => a - b);
      const sources = listSources(contents, this.model, this.chosen);
      this.corrections = listCorrections(contents, this.chosen);
      this.isAsking = contents.isUncertain && this.model.uncertainty !== null;
      this.families = this.isAsking ? findReadingFamilies(contents, this.model) : new Map();
      const oneByOne = new Set(
        [...this.families.values()].filter((one) => !one.isProportional).flatMap((one) => one.reads.map(({ node }) => node.slug)),
      );
      this.groups = sources.flatMap((source) =>
        groupEvents(contents, this.model, this.slot, source, this.corrections, oneByOne),
      );
      this.sourceOfNode = new Map(sources.flatMap((source) => source.nodes.map((slug) => [slug, source])));
      this.madeLast = Math.max(...line.batches);
      this.skipped = new Set(this.chosen.flatMap((number) => contents.lineage.get(number).skipped));
      this.statics = this.readStatics();
      this.problems = [];
      this.runs = new Map();
      this.readDraws();
      this.run();
    }
    readStatics() {
      const used = new Set(
        this.chosen.flatMap((number) => Object.values(this.contents.lineage.get(number).static_inputs).flat()),
      );
      const rows = [...used].map(
        (number) => this.contents.statics.get(number) ?? refuse(`The static input ${number} is missing.`),
      );
      return rows.sort((a, b) => a.effective_from - b.effective_from || a.static_input - b.static_input);
    }
    /** What nodes drew, and what those saw that look at a ledger, by partition and node. */
    readDraws() {
      this.drawn = new Map();
      this.seen = new Map();
      this.ledgerOf = new Map();
      this.unitsOf = new Map();
      const asking = this.model.nodes.filter((node) => node.kind === "upstream" || node.kind === "available");
      for (const number of this.chosen) {
        const batch = this.contents.batches.get(number),
          partition = partitionKey(partitionOf(batch));
        for (const [place, read] of this.contents.lineage.get(number).draws.entries()) {
          const rests = Array.from({ length: 1 + read.attributes.length }, (_, column) => {
            const kept = (read.contributions ?? []).slice(SOURCES.length * column, SOURCES.length * (column + 1));
            if (kept.length < SOURCES.length || kept.includes(null)) return null;
            return new Map(kept.map((one, at) => [SOURCES[at], parseDec(one)]).filter(([, amount]) => !amount.isZero));
          });
          const units = read.units.map(parseUnit);
          gather(this.drawn, `${partition} ${read.node}`, () => []).push({
            amount: parseDec(read.amount),
            attributes: read.attributes.map(parseDec),
            rests,
            carried: (this.contents.uncertainties.get(number)?.draws[place] ?? []).map(readComponents),
          });
          this.ledgerOf.set(read.node, this.contents.ledgers.get(this.contents.batches.get(read.source).ledger));
          this.unitsOf.set(read.node, units);
        }
        for (const { slug } of asking) {
          const value = this.contents.values.get(number)?.get(slug)?.value ?? null;
          if (value !== null) this.seen.set(`${partition} ${slug}`, value);
        }
      }
      for (const { slug, body } of asking) {
        if (!this.ledgerOf.has(slug))
          this.ledgerOf.set(
            slug,
            [...this.contents.ledgers.values()].find((one) => one.name === body.ledger) ?? {
              unit: "",
              scale: 0,
              rounding: "half_even",
            },
          );
      }
    }
    note(node, fact, run) {
      if (run && node) run.failed.add(node.slug);
      const label = run ? labelPartition(run.partition) : "";
      const sentence = `Node ${node?.slug ?? ""} ${fact}${label ? ` for ${label}` : ""}.`;
      if (!this.problems.includes(sentence)) this.problems.push(sentence);
    }
    run() {
      const groups = this.groups.filter((group) => group.isOfSlot),
        partitions = this.findPartitions(groups);
      if (!groups.length && this.model.partitioning.length) return;
      if (!partitions.length) {
        this.note(null, "that defines partitions has no data with a tag");
        return;
      }
      for (const node of this.model.partitioning) {
        const untagged = groups.some(
          (group) => group.nodes.has(node.slug) && !isWholePartition(group.tags, this.model.partitionType),
        );
        if (node.body.share === "repeat" && untagged)
          this.note(node, "defines the partitions, and some of its events carry no tag");
      }
      for (const partition of partitions) {
        const run = {
          partition,
          values: new Map(),
          readings: new Map(),
          arrays: new Map(),
          durations: new Map(),
          failed: new Set(),
          contributions: new Map(),
          components: new Map(),
          staticNumbers: new Map(),
          draws: new Map(),
          steps: new Map(),
        };
        for (const dimension of DIMENSIONS[this.model.partitionType])
          run.values.set(`partition.${dimension}`, { kind: "text", unit: null, content: partition[dimension] });
        this.runs.set(partitionKey(partition), run);
      }
      for (const node of this.model.ordered) this.runNode(node);
      if (!this.problems.length)
        for (const run of this.runs.values()) {
          run.restsOn = this.findContributions(run);
          if (this.isAsking) run.uncertainties = this.findUncertainties(run);
        }
    }
    findPartitions(groups) {
      if (!groups.length && this.model.partitioning.length) return [];
      if (this.model.partitionType === "time") return [{ tracking_id: null, feedstock: null, asset: null }];
      const found = new Map();
      for (const group of groups) {
        if (
          isWholePartition(group.tags, this.model.partitionType) &&
          this.model.partitioning.some((node) => group.nodes.has(node.slug))
        )
          found.set(partitionKey(group.tags), group.tags);
      }
      return [...found.values()].sort(comparePartitions);
    }
    runNode(node) {
      const runs = [...this.runs.values()];
      switch (node.kind) {
        case "input":
          if (this.skipped.has(node.slug))
            for (const run of runs) {
              this.keep(run, node, this.substitute(node));
              if (node.body.isArray) this.keepArray(run, node, []);
            }
          else if (node.body.join) this.readJoined(node);
          else if (node.body.aggregate === "delta") this.readTotalisers(node);
          else this.readInput(node);
          break;
        case "static_input":
          for (const run of runs) this.keep(run, node, this.readStatic(run, node));
          break;
        case "upstream":
          for (const run of runs) this.draw(run, node);
          break;
        case "available":
          for (const run of runs)
            this.keep(run, node, this.seen.get(`${partitionKey(run.partition)} ${node.slug}`) ?? ZERO);
          break;
        default:
          for (const run of runs) this.compute(run, node);
      }
    }
    keep(run, node, amount, whole = null, follows = []) {
      run.readings.set(node.slug, { amount, whole });
      run.values.set(node.slug, { kind: "number", unit: node.unit, content: amount, follows });
    }
    unitOfPoint(node) {
      if (node.body.aggregate === "count") return PLAIN_UNIT;
      if (!this.sourceOfNode.has(node.slug)) return node.unit;
      const point = this.contents.points
        .get(node.body.eventType)
        ?.find((one) => one.data_point === node.body.dataPointType);
      requireThat(point, `${node.body.eventType} has no data point ${node.body.dataPointType}.`);
      return point.value_type === "number" ? parseUnit(point.unit) : PLAIN_UNIT;
    }
    /** Default, nothing for a sum, an empty array, else no value. */
    substitute(node) {
      if (node.default) return node.default;
      if (node.kind === "input" && node.body.isArray) return [];
      if (node.kind === "static_input" && node.body.at) return [];
      return node.kind === "input" && node.body.aggregate === "sum" ? ZERO : null;
    }
    isOwn(node, group) {
      return node.body.share === "repeat" || isWholePartition(group.tags, this.model.partitionType);
    }
    agreeing(group) {
      return [...this.runs.values()].filter((run) => agrees(group.tags, run.partition));
    }
    groupsOf(node) {
      return this.groups.filter((group) => group.nodes.has(node.slug));
    }
    pairOf(node, element, target = null) {
      const { weight, dataPointType } = node.body;
      const isOwnWeight =
        weight && this.contents.points.get(node.body.eventType).some((one) => one.data_point === weight);
      const weighed = weight && !isOwnWeight && target ? target : element;
      return {
        value: this.slotValue(node, element),
        weight: weight ? (weighed.value(weight) ?? null) : null,
        row: element.row,
        isOfElement: true,
        weighing: weighed.row,
        source: leastMeasured([element.source(dataPointType), ...(weight ? [weighed.source(weight)] : [])]),
      };
    }
    slotValue({ body }, element) {
      if (body.aggregate === "count") return ONE;
      const value = element.value(body.dataPointType);
      return body.straddle === "prorate" && body.aggregate !== "time_weighted"
        ? prorate(value, element.time, this.slot)
        : value;
    }
    readingsOf(node, elements) {
      return elements.map((one) => ({ time: one.time, value: this.slotValue(node, one), meter: one.meter }));
    }

    readInput(node) {
      const { body } = node,
        shared = new Map(),
        own = new Map([...this.runs.values()].map((run) => [run, []])),
        hasData = new Set(),
        unit = this.unitOfPoint(node);
      for (const group of this.groupsOf(node)) {
        const agreeing = this.agreeing(group),
          elements = group.elements.filter((one) => (one.value(body.dataPointType) ?? null) !== null);
        const members = group.isOfElements ? elements : group.pairs.get(node.slug);
        if (!members.length || !agreeing.length) continue;
        if (group.isOfElements) for (const run of agreeing) hasData.add(run);
        if (this.isOwn(node, group)) for (const run of agreeing) own.get(run).push(...members);
        else {
          const pairs = group.isOfElements ? elements.map((one) => this.pairOf(node, one)) : members;
          const whole =
            body.aggregate === "count" ? new Dec(BigInt(pairs.length)) : exactTotal(pairs.map((pair) => pair.value));
          const components = this.componentsOfPairs(node, pairs, unit);
          this.shareWhole(node, whole, agreeing, shared, contributePairs(body, pairs, unit), components);
        }
      }
      const isOfElements = this.groupsOf(node).some((group) => group.isOfElements);
      for (const [run, members] of own) {
        if (isOfElements) members.sort((a, b) => a.rank - b.rank);
        let amount,
          contributions = new Map(),
          components = new Map();
        if (body.isArray) amount = members.map((one) => this.slotValue(node, one));
        else if (SUMMED.has(body.aggregate)) {
          const pairs = isOfElements ? members.map((one) => this.pairOf(node, one)) : members;
          amount = this.aggregate(run, node, pairs);
          contributions = contributePairs(body, pairs, unit);
          components = this.componentsOfPairs(node, pairs, unit);
        } else {
          const readings = this.readingsOf(node, members);
          amount = members.length ? aggregateReadings(body.aggregate, readings, this.slot) : null;
          contributions = contributeTerms(
            listRates(body.aggregate, readings, this.slot).map(([at, rate]) => [
              multiply(rate, toAbsolute(readings[at].value, unit)),
              members[at].source(body.dataPointType),
            ]),
          );
          if (this.isAsking)
            components = this.componentsOfReadings(
              node,
              listRates(body.aggregate, readings, this.slot).flatMap(([at, rate]) =>
                this.rateElement(node, members[at].row, rate, readings[at].value),
              ),
            );
        }
        if (amount === null && !shared.has(run) && hasData.has(run) && !node.isOptional && !node.default)
          this.note(node, `has values, but no ${body.aggregate} over the slot`, run);
        this.settle(run, node, amount, shared.get(run), contributions, components);
        if (body.isArray) this.keepArray(run, node, members);
      }
    }
    aggregate(run, node, pairs) {
      if (node.body.weight && pairs.some((pair) => pair.weight === null))
        this.note(node, `has values without ${node.body.weight}`, run);
      try {
        return aggregatePairs(node.body, pairs);
      } catch (error) {
        if (!(error instanceof NoResult)) throw error;
        this.note(node, "has no weight to average by", run);
        return ZERO;
      }
    }
    shareWhole(node, whole, agreeing, shared, contributions, components) {
      const converted = convert(whole, this.unitOfPoint(node), node.unit);
      const weights = agreeing.map((run) =>
        node.body.share === "by" ? (run.readings.get(node.body.shareBy).amount ?? ZERO) : ONE,
      );
      let parts;
      try {
        parts = divideWhole(converted, weights, this.model.sharePlaces);
      } catch (error) {
        if (!(error instanceof NoResult)) throw error;
        this.note(node, `cannot share ${converted}: ${error.message}`);
        return;
      }
      agreeing.forEach((run, at) => {
        const has = gather(shared, run, () => ({ part: ZERO, whole: ZERO, contributions: [], components: [] }));
        has.part = exactAdd(has.part, parts[at]);
        has.whole = exactAdd(has.whole, converted);
        if (contributions.size && !converted.isZero)
          has.contributions.push(scaleContributions(contributions, divide(parts[at], converted)));
        if ((components.size || components.rated?.length) && !converted.isZero)
          has.components.push(scaleComponents(components, divide(parts[at], converted)));
      });
    }
    /** In the node's unit, with the part of what is shared; without any, the substitute. */
    settle(run, node, amount, shared, contributions, components = new Map()) {
      const unit = this.unitOfPoint(node);
      if (!Array.isArray(amount) && this.isAsking)
        run.components.set(
          node.slug,
          scaleComponents(addComponents([components, ...(shared?.components ?? [])]), findSlope(unit, node.unit)),
        );
      if (!Array.isArray(amount)) {
        const rate = findSlope(absoluteUnit(unit), absoluteUnit(node.unit));
        run.contributions.set(
          node.slug,
          scaleContributions(addContributions([contributions, ...(shared?.contributions ?? [])]), rate),
        );
      }
      if ((Array.isArray(amount) && !amount.length) || (amount === null && !shared)) {
        if (!node.isOptional && !node.default && !run.failed.has(node.slug)) this.note(node, "has no data", run);
        this.keep(run, node, this.substitute(node));
      } else if (Array.isArray(amount))
        this.keep(
          run,
          node,
          amount.map((one) => convert(one, unit, node.unit)),
          null,
          [node.slug],
        );
      else {
        const own = amount === null ? ZERO : convert(amount, unit, node.unit);
        this.keep(run, node, shared ? rounded(exactAdd(own, shared.part)) : own, shared?.whole ?? null);
      }
    }
    keepArray(run, node, elements) {
      run.arrays.set(node.slug, elements);
      const isDivided = node.body.straddle === "prorate";
      run.durations.set(
        node.slug,
        elements.map((one) => {
          const time = isDivided ? overlapOf(this.slot, one.time) : one.time;
          return time ? hoursOf(time) : ZERO;
        }),
      );
    }
    readTotalisers(node) {
      const { dataPointType } = node.body,
        groups = this.groupsOf(node),
        shared = new Map();
      const own = new Map(
        [...this.runs.values()].map((run) => [run, { amounts: [], contributions: [], components: [], hasData: false }]),
      );
      const placed = groups
        .flatMap((group) => group.elements.map((element) => ({ group, element })))
        .filter(({ element }) => (element.value(dataPointType) ?? null) !== null)
        .sort((a, b) => a.element.rank - b.element.rank);
      const counted = new Map(groups.map((group) => [group, { amounts: [], terms: [], rates: new Map() }]));
      for (const step of listSteps(
        this.readingsOf(
          node,
          placed.map((one) => one.element),
        ),
        this.slot,
      )) {
        const late = placed[step.late],
          early = placed[step.early],
          of = counted.get(late.group);
        of.amounts.push(step.amount);
        const beganAgain = equal(step.amount, late.element.value(dataPointType));
        for (const [{ element }, change] of [
          [late, 1],
          [early, beganAgain ? 0 : -1],
        ]) {
          const has = gather(of.rates, element.event, () => ({ element, rate: 0 }));
          has.rate += change;
        }
        of.terms.push([
          step.amount,
          leastMeasured([early.element.source(dataPointType), late.element.source(dataPointType)]),
        ]);
      }
      for (const [group, { amounts, terms, rates }] of counted) {
        const agreeing = this.agreeing(group),
          amount = amounts.length ? total(amounts) : null;
        for (const run of agreeing)
          own.get(run).hasData ||= group.elements.some((one) => (one.value(dataPointType) ?? null) !== null);
        if (amount === null || !agreeing.length) continue;
        const contributions = contributeTerms(terms),
          components = this.componentsOfRates(node, rates);
        if (this.isOwn(node, group))
          for (const run of agreeing) {
            own.get(run).amounts.push(amount);
            own.get(run).contributions.push(contributions);
            own.get(run).components.push(components);
          }
        else this.shareWhole(node, amount, agreeing, shared, contributions, components);
      }
      for (const [run, { amounts, contributions, components, hasData }] of own) {
        const amount = amounts.length ? total(amounts) : null;
        if (amount === null && !shared.has(run) && hasData && !node.isOptional && !node.default)
          this.note(node, "has values, but no delta over the slot", run);
        this.settle(run, node, amount, shared.get(run), addContributions(contributions), addComponents(components));
      }
    }
    /** Each element of another input with the one that matches it: by tracking id, by a text, or by time. */
    readJoined(node) {
      const { body } = node,
        point = joinPointOf(body),
        waiting = new Set(),
        matched = new Set(),
        target = this.model.bySlug.get(body.join.to);
      for (const run of this.runs.values()) {
        const candidates = this.groupsOf(node)
          .filter((group) => agrees(group.tags, run.partition))
          .flatMap((group) => group.elements)
          .filter((one) => (one.value(body.dataPointType) ?? null) !== null);
        for (const one of candidates) waiting.add(one.event);
        const isAbsent = !candidates.length && (node.isOptional || node.default),
          targets = isAbsent ? [] : (run.arrays.get(body.join.to) ?? []);
        const keyOf = (one) => (point ? (one.value(point) ?? null) : one.row.tracking_id);
        const isMatch = (one, other) => {
          if (body.join.on !== "interval") return keyOf(other) !== null && keyOf(one) === keyOf(other);
          return (
            (one.time.start === other.time.start && one.time.end === other.time.end) ||
            holds(one.time, other.time) ||
            holds(other.time, one.time)
          );
        };
        const pairs = [];
        for (const one of targets) {
          const found = candidates.filter((other) => isMatch(one, other));
          if (found.length !== 1)
            this.note(
              node,
              found.length
                ? `matches event ${one.event} of ${target.slug} more than once`
                : `has nothing that matches event ${one.event} of ${target.slug}`,
              run,
            );
          if (found.length) pairs.push([one, found[0]]);
        }
        for (const [, one] of pairs) matched.add(one.event);
        const elements = pairs.map(([, one]) => one);
        if (body.isArray) {
          this.settle(
            run,
            node,
            elements.map((one) => this.slotValue(node, one)),
            undefined,
            new Map(),
          );
          const follows = run.values.get(body.join.to)?.follows;
          if (elements.length && follows) run.values.get(node.slug).follows = follows;
          this.keepArray(run, node, elements);
        } else {
          const joined = pairs.map(([one, other]) => this.pairOf(node, other, one));
          this.settle(
            run,
            node,
            this.aggregate(run, node, joined),
            undefined,
            contributePairs(body, joined, this.unitOfPoint(node)),
            this.componentsOfPairs(node, joined, this.unitOfPoint(node)),
          );
        }
      }
      if (!body.isAnyPeriod && [...waiting].some((event) => !matched.has(event)))
        this.note(node, `has events that match nothing of ${body.join.to}`);
    }
    readStatic(run, node) {
      const { slug, at, by } = node.body,
        values = this.statics.filter((one) => one.slug === slug),
        wholeUnit = (row) => convert(row.value, parseUnit(row.unit), node.unit);
      const keyed = (key) =>
        values.filter((one) =>
          ["asset", "feedstock", "location"].every((name) => one[name] === (name === by ? key : null)),
        );
      const inForce = (some, moment) => some.findLast((one) => one.effective_from <= moment);
      if (at) {
        return (run.arrays.get(at) ?? []).map((element) => {
          const key = by ? (element.row[by] ?? run.partition[by] ?? null) : null,
            found = by && key === null ? undefined : inForce(keyed(key), element.time.start);
          if (!found) this.note(node, `has no value in force for event ${element.event}`, run);
          gather(run.staticNumbers, node.slug, () => []).push(found ?? null);
          return found ? wholeUnit(found) : ZERO;
        });
      }
      const key = by ? (run.partition[by] ?? null) : null,
        some = by && key === null ? [] : keyed(key),
        found = inForce(some, this.slot.start);
      if (!found && !node.isOptional && !node.default)
        this.note(node, `has no value in force for the static input ${slug}`, run);
      const amount = found ? wholeUnit(found) : this.substitute(node);
      run.staticNumbers.set(node.slug, [found ?? null]);
      const changes = some.some(
        (one) =>
          this.slot.start < one.effective_from &&
          one.effective_from < this.slot.end &&
          !(amount && equal(wholeUnit(one), amount)),
      );
      if (changes && !run.failed.has(node.slug))
        this.note(node, `reads the static input ${slug}, which changes inside the slot`, run);
      return amount;
    }
    draw(run, node) {
      const { body } = node,
        ledger = this.ledgerOf.get(node.slug),
        unit = parseUnit(ledger.unit);
      const drawn = this.drawn.get(`${partitionKey(run.partition)} ${node.slug}`) ?? [],
        sum = exactTotal(drawn.map((one) => one.amount));
      if (!body.isManual) {
        const computed = run.readings.get(body.amount).amount ?? (node.isOptional ? ZERO : null);
        if (computed === null || computed.c < 0n) this.note(node, `draws ${body.amount}, which is no amount`, run);
        else {
          const needed = roundTo(
            convert(computed, this.model.bySlug.get(body.amount).unit, unit),
            ledger.scale,
            ledger.rounding === "down" ? "ceiling" : "half_even",
          );
          if (!equal(needed, sum)) this.note(node, `needs ${needed} and drew ${sum}`, run);
        }
      }
      run.draws.set(node.slug, drawn);
      this.keep(
        run,
        node,
        drawn.map((one) => convert(one.amount, unit, node.unit)),
      );
      const units = this.unitsOf.get(node.slug) ?? [...body.attributes.values()].map((one) => one ?? PLAIN_UNIT);
      requireThat(
        units.length === body.attributes.size,
        `Node ${node.slug} draws with another number of attributes than its model says.`,
      );
      [...body.attributes.keys()].forEach((slug, column) => {
        run.values.set(`${node.slug}.${slug}`, {
          kind: "number",
          unit: units[column],
          content: drawn.map((one) => one.attributes[column]),
        });
      });
    }
    environment(run) {
      return {
        model: this.model,
        values: run.values,
        durations: run.durations,
        periodHours: this.slot.end > this.slot.start ? countHours(this.slot) : ZERO,
        periodDays: () => countDays(this.slot, this.zone),
        requireParallel(first, second) {
          const events = (slug) => (run.arrays.get(slug) ?? []).map((one) => one.event).join();
          if (events(first) !== events(second)) throw new NoResult(`Inputs ${first} and ${second} have other events.`);
        },
      };
    }
    compute(run, node) {
      if (node.kind === "constant") {
        this.keep(run, node, node.body);
        return;
      }
      if ([...listNeeds(node)].some((slug) => run.failed.has(slug))) {
        run.failed.add(node.slug);
        this.keep(run, node, ZERO);
        return;
      }
      try {
        const step = evaluate(node.body, this.environment(run));
        let content = requireContent(convertContent(step, node.unit));
        if (node.round)
          content = requireContent(lift([content], (one) => roundTo(one, node.round.places, node.round.mode)));
        run.steps.set(node.slug, step);
        this.keep(run, node, content, null, step.follows.slice(0, 1));
      } catch (error) {
        if (!(error instanceof NoResult)) throw error;
        this.note(node, `cannot be calculated: ${error.message}`, run);
        this.keep(run, node, ZERO);
      }
    }

    // How uncertain each output is: from the output back to all that states something.

    /** The name of what has the own errors of a group of data. */
    ownerOf(row) {
      const dimensions = DIMENSIONS[this.model.partitionType],
        tags = Object.fromEntries(TAGS.map((tag) => [tag, dimensions.includes(tag) ? row[tag] : null]));
      return [this.model.name, writeMoment(this.slot.start), labelPartition(tags)].filter(Boolean).join(" ");
    }
    /** What a value of an event states: itself, else its type, else its node; and what its meter shares. */
    statementsAt(row, eventType, point, source, instead, isCalibrated) {
      const { stated } = this.contents,
        reader = source?.readers.get(row.event);
      const own =
        (reader === undefined ? null : stated.find("value", row.event, point, reader)) ??
        stated.find("type", eventType, point, this.madeLast) ??
        instead;
      const shared = isCalibrated ? this.certificatesOf(eventType, point, row.asset, row.start_time) : [];
      return [...(own ? [own] : []), ...shared];
    }
    /** What a reading of a meter shares with others, by the certificate that holds when it starts. */
    certificatesOf(eventType, point, asset, start) {
      return this.contents.stated
        .calibrations(eventType, point, this.madeLast)
        .filter(
          ({ row: one }) =>
            start !== null &&
            one.asset === asset &&
            one.valid_from <= start &&
            (one.valid_until === null || start < one.valid_until),
        )
        .map((one) => one.statement);
    }
    classify(node, row, weighing = row, owner = this.ownerOf(row)) {
      const { eventType, dataPointType, weight, join } = node.body,
        source = this.sourceOfNode.get(node.slug),
        instead = node.uncertainty ? buildStatement(node.uncertainty) : null;
      const values = this.statementsAt(row, eventType, dataPointType, source, instead, true);
      let weights = [];
      if (weight) {
        const isOwn = this.contents.points.get(eventType).some((one) => one.data_point === weight),
          target = isOwn ? node : this.model.bySlug.get(join.to);
        weights = this.statementsAt(
          isOwn ? row : weighing,
          target.body.eventType,
          weight,
          this.sourceOfNode.get(target.slug),
          null,
          isOwn,
        );
      }
      return stateAlone(owner, values, weights);
    }
    /** On what a value rests that a rule put in: what the rule states, or its sources; null where on nothing. */
    basisOf(node, row) {
      const { eventType, dataPointType: point } = node.body,
        { stated } = this.contents,
        seen = this.corrections.get(`${row.event}/${point}`),
        reader = this.sourceOfNode.get(node.slug)?.readers.get(row.event);
      if (seen?.origin !== "substitution" || stated.find("value", row.event, point, reader)) return null;
      const ofRule = stated.find("correction", seen.number, point, seen.batch);
      if (ofRule) return { statements: [ofRule], sources: [] };
      const ofType = stated.find("type", eventType, point, this.madeLast),
        instead = ofType ?? (node.uncertainty ? buildStatement(node.uncertainty) : null),
        owner = this.ownerOf(row);
      const sources = stated.sources(seen.number, seen.batch).map(({ row: source, statement }) => ({
        event: source.event,
        weight: source.weight,
        value: source.value,
        stated: stateAlone(owner, [
          ...[statement ?? instead].filter(Boolean),
          ...this.certificatesOf(eventType, point, source.asset, source.start_time),
        ]),
      }));
      return sources.length ? { statements: [], sources } : null;
    }
    /** What changes something at a rate by the value of an element: it, or what it rests on. */
    rateElement(node, row, rate, value) {
      const own = this.classify(node, row),
        basis = this.basisOf(node, row);
      if (basis?.sources.length)
        return basis.sources.map((one) => ({ ...one, rate: multiply(rate, one.weight), reading: one.event }));
      const stated = basis ? stateAlone(own.owner, basis.statements, own.weights) : own;
      return [{ rate, value, stated, reading: row.event }];
    }
    componentsOfPairs(node, pairs, unit) {
      if (!this.isAsking || !pairs.length) return new Map();
      const classes = new Map(),
        sources = [],
        ownRates = new Map(),
        isLinear = ["sum", "average"].includes(node.body.aggregate);
      for (const pair of pairs) {
        const own = this.classify(node, pair.row, pair.weighing ?? pair.row),
          basis = isLinear ? this.basisOf(node, pair.row) : null,
          stated = basis ? stateAlone(own.owner, basis.statements, own.weights) : own,
          rate = node.body.weight ? (pair.weight ?? ZERO) : ONE;
        gather(classes, stated.key, () => ({ ...stated, pairs: [] })).pairs.push(pair);
        if (!basis) ownRates.set(pair.row.event, exactAdd(ownRates.get(pair.row.event) ?? ZERO, rate));
        for (const one of basis?.sources ?? [])
          sources.push({ ...one, rate: (pair.isOfElement ? multiply : exactMultiply)(rate, one.weight) });
      }
      const filled = sumSources(sources, ownRates);
      for (const [key, { stated }] of filled) gather(classes, key, () => ({ ...stated, pairs: [] }));
      const family = this.families.get(keyOfRead(node.slug, null)),
        names = {
          effect: family?.isProportional ? family.reads[0].node.slug : node.slug,
          isOfOthers: this.isShared(node),
          areWeightsOfOthers: this.isShared(node, node.body.weight),
        };
      const components = findAggregateComponents(node.slug, node.body, classes, [unit, this.unitOfWeight(node)], filled, names);
      return withRated(components, this.ratePairs(node, pairs));
    }
    unitOfWeight({ body }) {
      if (!body.weight) return PLAIN_UNIT;
      const find = (type) => this.contents.points.get(type)?.find((one) => one.data_point === body.weight);
      const point = find(body.eventType) ?? find(this.model.bySlug.get(body.join?.to)?.body.eventType);
      return point?.unit ? parseUnit(point.unit) : PLAIN_UNIT;
    }
    componentsOfRates(node, rates) {
      if (!this.isAsking) return new Map();
      const { project_number: project } = this.contents.manifest;
      const rated = [...rates.values()]
        .filter(({ rate }) => rate !== 0)
        .map(({ element, rate }) => ({
          rate: new Dec(BigInt(rate)),
          value: element.value(node.body.dataPointType),
          stated: this.classify(node, element.row, element.row, idOf("event", project, element.event)),
          reading: element.event,
        }));
      return this.componentsOfReadings(node, rated);
    }
    // Readings that several inputs read: what each has for itself, reading by reading.

    isShared(node, weight = null) {
      const family = this.families.get(keyOfRead(node.slug, weight));
      return family !== undefined && !family.isProportional;
    }
    /** What readings make of an input at their rates; without their own errors where others read them too. */
    componentsOfReadings(node, rated) {
      const unit = this.unitOfPoint(node),
        components = findRatedComponents(node.slug, rated, unit);
      if (!this.isShared(node)) return components;
      const named = new Map([...components].filter(([, one]) => one.owner === ""));
      return withRated(named, [{ weight: null, values: rated, unit, rate: ONE }]);
    }
    /** How fast an aggregate of pairs changes with each reading that others may read too. */
    ratePairs(node, pairs) {
      const { body } = node,
        rated = [];
      const weights = pairs.map((pair) => (body.weight && body.aggregate === "average" ? (pair.weight ?? ZERO) : ONE)),
        whole = exactTotal(weights);
      if (this.isShared(node)) {
        const unit = this.unitOfPoint(node);
        if (body.aggregate === "min" || body.aggregate === "max")
          rated.push({ weight: null, values: [this.rateExtreme(node, pairs)], unit, rate: ONE });
        else {
          const divisor = body.aggregate === "average" ? whole : ONE;
          const values = pairs.flatMap((pair, at) => this.ratePair(node, pair, weights[at]));
          if (!divisor.isZero) rated.push({ weight: null, values, unit, rate: divide(ONE, divisor) });
        }
      }
      if (body.weight && this.isShared(node, body.weight) && !whole.isZero) {
        const mean = divide(exactTotal(pairs.map((pair, at) => exactMultiply(pair.value, weights[at]))), whole);
        const values = pairs.map((pair, at) => {
          const weighing = pair.weighing ?? pair.row,
            { owner, weights: stated } = this.classify(node, pair.row, weighing);
          return { rate: exactSubtract(pair.value, mean), value: weights[at], stated: stateAlone(owner, stated), reading: weighing.event };
        });
        rated.push({ weight: body.weight, values, unit: this.unitOfWeight(node), rate: divide(ONE, whole) });
      }
      return rated;
    }
    ratePair(node, pair, rate) {
      const found = this.rateElement(node, pair.row, rate, pair.value);
      return found.map((one) => ({ ...one, stated: stateAlone(one.stated.owner, one.stated.values) }));
    }
    /** The reading that is the least or greatest: of equal ones the least well known, the first of those. */
    rateExtreme(node, pairs) {
      const values = pairs.map((pair) => pair.value),
        value = node.body.aggregate === "min" ? least(values) : greatest(values),
        holding = new Map();
      for (const pair of pairs) {
        const stated = this.classify(node, pair.row, pair.weighing ?? pair.row);
        if (equal(pair.value, value)) gather(holding, stated.key, () => ({ ...stated, reading: pair.row.event }));
      }
      const { owner, values: statements, reading } = findLeastKnown([...holding.values()], value, this.unitOfPoint(node));
      return { rate: ONE, value, stated: stateAlone(owner, statements), reading };
    }
    /** What inputs of one number have of the errors that they share, input after input. */
    splitInputs(run) {
      this.counted ??= new Map(
        [...this.runs.values()].flatMap((one) =>
          [...one.components]
            .filter(([slug]) => this.model.bySlug.get(slug).body.aggregate === "delta")
            .flatMap(([, components]) => components.rated ?? [])
            .flatMap(({ values }) => values.map(({ reading, stated }) => [reading, stated.owner])),
        ),
      );
      for (const node of this.model.nodes) {
        const components = run.components.get(node.slug);
        if (!components?.rated?.length) continue;
        const parts = [...groupBy(components.rated, ({ weight }) => weight)].flatMap(([weight, some]) => {
          const values = some.flatMap(({ values: each, rate }) =>
            equal(rate, ONE) ? each : each.map((one) => ({ ...one, rate: multiply(one.rate, rate) })),
          );
          const label = weight === null ? node.slug : `${node.slug} ${weight}`;
          return this.splitOwn(run, node, weight, label, values, some[0].unit).own;
        });
        run.components.set(node.slug, addComponents([new Map(components), ...parts]));
      }
    }
    splitOwn(run, node, weight, label, rated, unit) {
      const family = this.families.get(keyOfRead(node.slug, weight)),
        name = family?.reads[0] ?? { node, weight };
      const values = family
        ? rated.map((one) => {
            const owner = this.counted.get(one.reading);
            return owner === undefined ? one : { ...one, stated: stateAlone(owner, one.stated.values) };
          })
        : rated;
      const { shared, own } = rateErrors(node.slug, values, unit);
      return {
        shared,
        own: [...own].map(([owner, errors]) => {
          const bases = gather(run.ownErrors, JSON.stringify([keyOfRead(name.node.slug, name.weight), owner]), () => []);
          return splitOwnErrors(bases, node.slug, name, label, owner, errors);
        }),
      };
    }
    findUncertainties(run) {
      const outputs = this.model.outputs.filter((node) => run.readings.get(node.slug)?.amount instanceof Dec);
      run.ownErrors = new Map();
      this.splitInputs(run);
      return new Map(outputs.map((node) => [node.slug, this.uncertaintyOf(run, node)]));
    }
    uncertaintyOf(run, output) {
      const gradients = new Map([[output.slug, ONE]]),
        found = [];
      for (const node of [...this.model.ordered].reverse()) {
        const gradient = gradients.get(node.slug);
        if (node.kind === "upstream") {
          found.push(...this.componentsOfDraws(run, node, gradients));
          if (node.body.amount && Array.isArray(gradient))
            gradients.set(
              node.body.amount,
              addGradients(gradients.get(node.body.amount), this.gradientOfAmount(run, node, gradient)),
            );
        } else if (gradient !== undefined) found.push(...this.componentsOfNode(run, node, gradient, gradients, output));
      }
      const components = addComponents(found),
        correlations = new Map([...run.draws.values()].flat().flatMap((draw) => draw.carried.flatMap((one) => [...one.correlations])));
      const named = groupBy([...components], ([, one]) => `${one.name}/${one.owner.startsWith(STATIC_OWNER)}`);
      const find = (name) => {
        const node = this.model.bySlug.get(name),
          own = named.get(`${name}/false`) ?? [];
        if (node && node.kind !== "static_input") return own;
        return [...own, ...(named.get(`${node ? node.body.slug : name}/true`) ?? [])];
      };
      for (const { between, coefficient } of this.model.uncertainty.correlations)
        for (const [one] of find(between[0]))
          for (const [other] of find(between[1])) correlations.set(pairKey(one, other), coefficient);
      return { components, correlations };
    }
    componentsOfNode(run, node, gradient, gradients, output) {
      switch (node.kind) {
        case "formula": {
          const reads = [],
            step = run.steps.get(node.slug);
          for (const [name, inner] of findGradients(step, gradient, node.unit, this.environment(run), reads))
            gradients.set(name, addGradients(gradients.get(name), inner));
          return reads.map((read) => this.componentsOfRead(read));
        }
        case "constant":
          return node.uncertainty
            ? [
                findSharedComponents(
                  node.slug,
                  buildStatement(node.uncertainty),
                  pairRates(gradient, node.body),
                  node.unit,
                  this.model.name,
                ),
              ]
            : [];
        case "input":
          return [this.componentsOfInput(run, node, gradient, output)];
        case "static_input":
          return this.componentsOfStatic(run, node, gradient);
        default:
          return [];
      }
    }
    componentsOfRead({ step, gradient }) {
      const [table, column] = [wordAt(step.tree, 0), wordAt(step.tree, 1)],
        fields = this.model.tables.get(table).uncertainty.get(column),
        name = `${table}.${column}`;
      if (!fields) return new Map();
      const rates = pairRates(gradient, step.content);
      return findSharedComponents(name, buildStatement(fields), rates, step.unit, this.model.name);
    }
    componentsOfInput(run, node, gradient, output) {
      if (!Array.isArray(gradient)) return scaleComponents(run.components.get(node.slug) ?? new Map(), gradient);
      const unit = this.unitOfPoint(node),
        slope = findSlope(unit, node.unit),
        elements = run.arrays.get(node.slug) ?? [];
      const rated = elements
        .map((element, at) => ({ element, rate: gradient[at], value: element.value(node.body.dataPointType) }))
        .filter(({ rate, value }) => !rate.isZero && value instanceof Dec)
        .flatMap(({ element, rate, value }) => this.rateElement(node, element.row, multiply(rate, slope), value));
      if (this.model.uncertainty.correlations.some(({ between }) => between.includes(node.slug)))
        return findRatedComponents(node.slug, rated, unit);
      const name = this.families.get(keyOfRead(node.slug, null))?.reads[0].node.slug ?? node.slug,
        label = name === node.slug ? output.slug : `${node.slug} ${output.slug}`,
        { shared, own } = this.splitOwn(run, node, null, label, rated, unit);
      return addComponents([shared, ...own]);
    }
    componentsOfStatic(run, node, gradient) {
      const rates = pairRates(gradient, run.readings.get(node.slug).amount),
        rows = run.staticNumbers.get(node.slug) ?? [];
      const groups = groupBy(
        rates.map((pair, at) => ({ pair, row: rows[at] ?? null })),
        ({ row }) => row,
      );
      return [...groups].flatMap(([row, some]) => {
        if (row === null) return [];
        const own = this.contents.stated.find("static_input", row.static_input, row.slug),
          statement = own ? inUnitOfValue(own, parseUnit(row.unit)) : node.uncertainty && buildStatement(node.uncertainty);
        if (!statement) return [];
        const pairs = some.map(({ pair }) => pair);
        return [findSharedComponents(node.slug, statement, pairs, node.unit, `${STATIC_OWNER}${row.static_input}`, row.slug)];
      });
    }
    componentsOfDraws(run, node, gradients) {
      const draws = run.draws.get(node.slug) ?? [];
      return [node.slug, ...[...node.body.attributes.keys()].map((slug) => `${node.slug}.${slug}`)].flatMap(
        (name, column) => {
          const rates = gradients.get(name);
          if (!Array.isArray(rates)) return [];
          return draws.flatMap((draw, at) =>
            !rates[at].isZero && draw.carried.length ? [scaleComponents(draw.carried[column].components, rates[at])] : [],
          );
        },
      );
    }
    /** How fast an output changes with the amount that a node withdraws, each source in proportion. */
    gradientOfAmount(run, node, changes) {
      const drawn = run.readings.get(node.slug).amount,
        whole = total(drawn);
      if (whole.isZero) return ZERO;
      const weighted = total(changes.map((change, at) => exactMultiply(change, drawn[at])));
      return multiply(divide(weighted, whole), findSlope(this.model.bySlug.get(node.body.amount).unit, node.unit));
    }

    // What each output rests on: from the output back over formulas to inputs and draws.

    findContributions(run) {
      const draws = [...run.draws.values()].flat(),
        found = new Map();
      const isMeasured =
        this.groups.every((group) => group.isCaptured) &&
        draws.every((draw) => draw.rests.every((part) => part !== null && part.size === 1 && part.has("captured")));
      for (const node of this.model.outputs) {
        const { amount } = run.readings.get(node.slug);
        if (amount === null) continue;
        if (!amount.isZero && isMeasured && this.model.surelyContributing.has(node.slug))
          found.set(node.slug, new Map([["captured", sizeOf(amount)]]));
        else found.set(node.slug, this.contributingTo(run, node));
      }
      return found;
    }
    contributingTo(run, output) {
      const gradients = new Map([[output.slug, ONE]]),
        found = [];
      for (const node of [...this.model.ordered].reverse()) {
        const gradient = gradients.get(node.slug);
        if (node.kind === "upstream") found.push(...this.contributionsOfDraws(run, node, gradients));
        else if (gradient !== undefined && node.kind === "formula") {
          for (const [name, inner] of findGradients(
            run.steps.get(node.slug),
            gradient,
            node.unit,
            this.environment(run),
          ))
            gradients.set(name, addGradients(gradients.get(name), inner));
        } else if (gradient !== undefined && node.kind === "input")
          found.push(this.contributionsOfInput(run, node, gradient));
      }
      return found.includes(null) ? null : addContributions(found);
    }
    contributionsOfInput(run, node, gradient) {
      const rate = findSlope(absoluteUnit(node.unit), node.unit);
      if (!Array.isArray(gradient))
        return scaleContributions(run.contributions.get(node.slug) ?? new Map(), multiply(gradient, rate));
      const elements = run.arrays.get(node.slug) ?? [];
      return addContributions(
        run.readings
          .get(node.slug)
          .amount.map((amount, at) => [amount, at])
          .filter(([, at]) => !gradient[at].isZero)
          .map(
            ([amount, at]) =>
              new Map([
                [
                  elements[at].source(node.body.dataPointType),
                  sizeOf(multiply(toAbsolute(amount, node.unit), multiply(gradient[at], rate))),
                ],
              ]),
          ),
      );
    }
    contributionsOfDraws(run, node, gradients) {
      const draws = run.draws.get(node.slug);
      return [node.slug, ...[...node.body.attributes.keys()].map((slug) => `${node.slug}.${slug}`)].flatMap(
        (name, column) => {
          const changes = gradients.get(name) ?? [],
            amounts = run.values.get(name).content;
          return changes.flatMap((change, at) => {
            const part = multiply(amounts[at], change),
              rests = draws[at].rests[column];
            if (part.isZero) return [];
            return [rests === null ? null : spreadContributions(part, rests)];
          });
        },
      );
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // Uncertainty (JCGM 100:2008): what was stated, and what it makes of an output, effect by effect.
  // ---------------------------------------------------------------------------------------------------------

  const STATED_SIZES = [
    "standard",
    "relative_standard",
    "half_width",
    "relative_half_width",
    "percentiles",
    "relative_percentiles",
  ];
  const STATED_TEXTS = { distribution: 20, unit: 1000, effect: 100, source: 500 };
  const WIDTH_DIVISORS = { rectangular: 3n, triangular: 6n, arcsine: 2n };
  function readStatedNumber(text) {
    requireThat(typeof text === "string" && NUMBER.test(text), `${String(text).slice(0, 60)} is no number.`);
    return parseDec(text);
  }
  /** The statement of a column: JSON with numbers as texts. */
  function readUncertaintyStatement(text, effect = null) {
    const record = readJson(text);
    requireThat(isRecord(record), `${text.slice(0, 60)} is no statement.`);
    const fields = Object.entries(record).map(([name, value]) => {
      if (Object.hasOwn(STATED_TEXTS, name)) return [name, value];
      if (!isRecord(value)) return [name, readStatedNumber(value)];
      return [name, new Map(Object.entries(value).map(([part, one]) => [part, readStatedNumber(one)]))];
    });
    const given = new Map(fields);
    if (effect !== null && !given.has("effect")) given.set("effect", effect);
    return buildStatement(given);
  }
  /** A statement of its fields: its standard size, what it is a part of, and whose error it is. */
  function buildStatement(fields) {
    const keys = [...STATED_SIZES, ...Object.keys(STATED_TEXTS), "coverage_factor", "degrees_of_freedom"];
    for (const key of fields.keys()) requireThat(keys.includes(key), `A statement has no key ${key}.`);
    const sizes = STATED_SIZES.filter((key) => fields.has(key)),
      [key] = sizes;
    requireThat(sizes.length === 1, "A statement has exactly one size.");
    for (const [name, longest] of Object.entries(STATED_TEXTS)) {
      const text = fields.get(name);
      if (text !== undefined)
        requireThat(
          typeof text === "string" && text.trim() !== "" && [...text].length <= longest,
          `${name} of a statement must be a text.`,
        );
    }
    const isRelative = key.startsWith("relative_"),
      isOfPercentiles = key.endsWith("percentiles"),
      isHalfWidth = key.endsWith("half_width"),
      size = fields.get(key),
      factor = fields.get("coverage_factor"),
      freedom = fields.get("degrees_of_freedom") ?? null,
      distribution = fields.get("distribution") ?? (isOfPercentiles ? "lognormal" : "normal");
    requireThat(
      ["normal", "lognormal", ...Object.keys(WIDTH_DIVISORS)].includes(distribution) &&
        isOfPercentiles === (distribution === "lognormal") &&
        (isHalfWidth || !Object.hasOwn(WIDTH_DIVISORS, distribution)),
      "The distribution of a statement does not go with its size.",
    );
    const needsFactor = isHalfWidth && distribution === "normal";
    requireThat(needsFactor === (factor !== undefined), "A coverage factor belongs to a normal half width.");
    const isWithin = (number, most) => number instanceof Dec && number.c > 0n && compare(number, new Dec(most)) <= 0;
    requireThat(factor === undefined || isWithin(factor, 100n), "The coverage factor is none.");
    requireThat(freedom === null || (isWithin(freedom, 1000000n) && !isOfPercentiles), "The degrees of freedom are none.");
    if (isOfPercentiles) {
      requireThat(size instanceof Map && size.size === 3, "Percentiles have low, high and probability.");
      const [low, high, probability] = ["low", "high", "probability"].map((name) => size.get(name));
      requireThat(
        low?.c > 0n && high && compare(low, high) < 0 && probability?.c > 0n && compare(probability, ONE) < 0,
        "Percentiles are none.",
      );
    } else requireThat(size instanceof Dec && size.c >= 0n, "The size of a statement is a number not below zero.");
    requireThat(!isRelative || !fields.has("unit"), "A relative uncertainty has no unit.");
    const unit = fields.has("unit") ? parseUnit(fields.get("unit")) : null;
    let deviation = null;
    const told = [...fields].map(([name, value]) => [name, value instanceof Map ? [...value].map(String).sort() : String(value)]);
    return {
      isOfPercentiles,
      key: JSON.stringify([distribution, ...told.filter(([name]) => name !== "distribution").sort()]),
      isRelative,
      freedom,
      unit,
      effect: fields.get("effect") ?? null,
      get size() {
        if (isOfPercentiles) return (deviation ??= findDeviation(size));
        if (!isHalfWidth) return size;
        if (distribution === "normal") return divide(size, factor);
        return divide(size, squareRoot(new Dec(WIDTH_DIVISORS[distribution])));
      },
      scaleTo(other) {
        return isRelative || unit === null ? ONE : findSlope(unit, other);
      },
    };
  }
  /** The standard deviation of the lognormal distribution with these percentiles. */
  function findDeviation(percentiles) {
    const [low, high, probability] = ["low", "high", "probability"].map((name) => percentiles.get(name));
    const quantile = findCoverageFactor(probability, null),
      deviation = divide(naturalLog(divide(high, low)), multiply(TWO, quantile)),
      mean = divide(naturalLog(multiply(low, high)), TWO),
      variance = raiseWhole(deviation, 2);
    return multiply(
      exponential(add(mean, divide(variance, TWO))),
      squareRoot(subtract(exponential(variance), ONE)),
    );
  }
  /** A class of values: of the same owner, with the same statements of them and of their weights. */
  function stateAlone(owner, values, weights = []) {
    const keys = (some) => some.map((one) => one.key);
    return { key: JSON.stringify([owner, keys(values), keys(weights)]), owner, values, weights };
  }
  /** The class whose reading of a value has the largest uncertainty; then how it is made up, and whose it is, decide. */
  function findLeastKnown(classes, value, unit) {
    const weighed = classes.map((stated) => {
      const changes = stated.values.map((one) => {
        const size = multiply(one.size, one.scaleTo(unit));
        return [one.effect ?? "", one.isRelative ? sizeOf(multiply(size, value)) : size, one.freedom ?? ZERO];
      });
      return { stated, changes, variance: exactTotal(changes.map(([, change]) => exactMultiply(change, change))) };
    });
    const compareChanges = (a, b) =>
      a.reduce(
        (order, one, at) =>
          order || (b[at] ? compareTexts(one[0], b[at][0]) || compare(one[1], b[at][1]) || compare(one[2], b[at][2]) : 1),
        0,
      ) || a.length - b.length;
    const order = (a, b) =>
      compare(a.variance, b.variance) || compareChanges(a.changes, b.changes) || compareTexts(a.stated.owner, b.stated.owner);
    return weighed.reduce((most, one) => (order(one, most) > 0 ? one : most)).stated;
  }
  /** What was stated when batches were made: by kind, name and data point; certificates of meters; sources of values. */
  function readStated(statements, calibrations, rowsOfSources) {
    const versions = new Map(),
      certificates = new Map(),
      sources = new Map();
    for (const row of rowsOfSources)
      gather(sources, row.correction, () => []).push({
        row,
        batches: new Set(parseRanges(row.batches)),
        statement: row.statement === null ? null : readUncertaintyStatement(row.statement),
      });
    for (const row of statements)
      gather(versions, JSON.stringify([row.kind, row.name, row.data_point]), () => []).push({
        row,
        batches: new Set(parseRanges(row.batches)),
        statement: readUncertaintyStatement(row.statement),
      });
    for (const row of calibrations)
      gather(certificates, JSON.stringify([row.event_type, row.data_point]), () => []).push({
        row,
        batches: new Set(parseRanges(row.batches)),
        statement: readUncertaintyStatement(row.statement, row.calibration_id),
      });
    const holding = (some, batch) => (some ?? []).filter((one) => batch === null || one.batches.has(batch));
    return {
      versions,
      certificates,
      ofSources: sources,
      sources: (correction, batch) => holding(sources.get(correction), batch),
      find: (kind, name, point, batch = null) =>
        holding(versions.get(JSON.stringify([kind, String(name), point])), batch)[0]?.statement ?? null,
      calibrations: (eventType, point, batch) =>
        holding(certificates.get(JSON.stringify([eventType, point])), batch),
    };
  }

  // Components: by effect what it makes of a result, through each input, with the degrees of freedom of the effect.

  const effectKey = (name, owner) => JSON.stringify([name, owner]);
  const fewestDegrees = (a, b) => (a === null ? b : b === null || compare(a, b) <= 0 ? a : b);
  const changeOf = (component) => total([...component.byInput.values()]);
  /** Components with the readings that others may rest on too, whose own errors they leave out. */
  const withRated = (components, rated) => Object.assign(components, { rated });
  function addComponents(parts) {
    const found = new Map();
    for (const part of parts)
      for (const [key, one] of part) {
        const has = gather(found, key, () => ({ name: one.name, owner: one.owner, freedom: null, columns: new Map() }));
        has.freedom = fewestDegrees(has.freedom, one.freedom);
        for (const [input, change] of one.byInput) gather(has.columns, input, () => []).push(change);
      }
    const added = new Map(
      [...found].map(([key, { name, owner, freedom, columns }]) => [
        key,
        { name, owner, freedom, byInput: new Map([...columns].map(([input, changes]) => [input, total(changes)])) },
      ]),
    );
    return withRated(
      added,
      parts.flatMap((part) => part.rated ?? []),
    );
  }
  const mapComponents = (components, apply) =>
    new Map(
      [...components].map(([key, one]) => [
        key,
        { ...one, byInput: new Map([...one.byInput].map(([input, change]) => [input, apply(change)])) },
      ]),
    );
  const scaleComponents = (components, rate) =>
    withRated(
      mapComponents(components, (change) => multiply(change, rate)),
      (components.rated ?? []).map((part) => ({ ...part, rate: multiply(part.rate, rate) })),
    );
  function applyWelchSatterthwaite(uncertainty, parts) {
    const terms = parts
      .filter(([, freedom]) => freedom !== null)
      .map(([change, freedom]) => divide(raiseWhole(divide(change, uncertainty), 4), freedom));
    return quotient(ONE, total(terms), 20);
  }
  const rootOfSquares = (square) => {
    const sum = rounded(square);
    return squareRoot(sum.c < 0n ? ZERO : sum);
  };
  /** Collects what statements make of a result through one input; what is independent is added in squares. */
  class ComponentBuilder {
    constructor(slug, own = slug) {
      this.slug = slug;
      this.ownName = own;
      this.shared = new Map();
      this.own = new Map();
    }
    add(statement, owner, unit, first, second) {
      const size = multiply(statement.size, statement.scaleTo(unit));
      if (statement.effect === null)
        gather(this.own, owner, () => []).push([multiply(size, rootOfSquares(second)), statement.freedom]);
      else {
        const has = gather(this.shared, statement.effect, () => ({ changes: [], freedom: null }));
        has.changes.push(multiply(size, first));
        has.freedom = fewestDegrees(has.freedom, statement.freedom);
      }
    }
    build() {
      const found = new Map(),
        put = (name, owner, change, freedom) => {
          if (!change.isZero)
            found.set(effectKey(name, owner), { name, owner, freedom, byInput: new Map([[this.slug, change]]) });
        };
      for (const [name, { changes, freedom }] of this.shared) put(name, "", total(changes), freedom);
      for (const [owner, parts] of this.own) {
        const pooled = squareRoot(rounded(exactTotal(parts.map(([change]) => exactMultiply(change, change)))));
        const isFinite = !pooled.isZero && parts.some(([, freedom]) => freedom !== null);
        put(this.ownName, owner, pooled, isFinite ? applyWelchSatterthwaite(pooled, parts) : null);
      }
      return found;
    }
  }
  /** A statement without a unit is in that of its value. */
  const inUnitOfValue = (statement, unit) =>
    statement.unit !== null || statement.isRelative
      ? statement
      : Object.create(statement, { scaleTo: { value: (other) => findSlope(unit, other) } });
  /** Before the number of a static input, in the owner of its effect. */
  const STATIC_OWNER = "static input ";
  /** What values make uncertain that all have one error. */
  function findSharedComponents(name, statement, rates, unit, owner, own = name) {
    let change = ZERO;
    for (const [rate, value] of rates) {
      const step = multiply(statement.size, statement.isRelative ? value : statement.scaleTo(unit));
      change = add(change, multiply(rate, step));
    }
    if (change.isZero) return new Map();
    const effect = statement.effect === null ? [own, owner] : [statement.effect, ""];
    return new Map([
      [
        effectKey(...effect),
        { name: effect[0], owner: effect[1], freedom: statement.freedom, byInput: new Map([[name, change]]) },
      ],
    ]);
  }
  const pairRates = (gradient, content) => {
    const rates = Array.isArray(gradient) ? gradient : [gradient];
    return rates
      .map((rate, at) => [rate, Array.isArray(content) ? content[at] : content])
      .filter(([, value]) => value instanceof Dec);
  };
  /** By class what readings add that values rest on which rules put in: each reading once, with its own rate. */
  function sumSources(sources, ownRates) {
    const readings = new Map(),
      filled = new Map();
    for (const { event, rate, value, stated } of sources) {
      const one = gather(readings, JSON.stringify([event, stated.key, String(value)]), () => ({ event, value, stated, rate: ZERO }));
      one.rate = exactAdd(one.rate, rate);
    }
    for (const { event, value, stated, rate } of readings.values()) {
      const square = exactMultiply(rate, exactAdd(rate, exactMultiply(TWO, ownRates.get(event) ?? ZERO))),
        sums = gather(filled, stated.key, () => ({ stated, rate: ZERO, rated: ZERO, rateSquare: ZERO, ratedSquare: ZERO }));
      sums.rate = exactAdd(sums.rate, rate);
      sums.rated = exactAdd(sums.rated, exactMultiply(rate, value));
      sums.rateSquare = exactAdd(sums.rateSquare, square);
      sums.ratedSquare = exactAdd(sums.ratedSquare, exactMultiply(square, exactMultiply(value, value)));
    }
    return filled;
  }
  /** Sums over the values of each class of pairs, as an aggregate changes with them. */
  function findAggregateComponents(slug, body, classes, [unit, weightUnit], filled, names) {
    const builder = new ComponentBuilder(slug, names.effect),
      sums = new Map([...classes].map(([key, { pairs }]) => [key, sumPairs(pairs)])),
      whole = sumPairs([...classes.values()].flatMap(({ pairs }) => pairs));
    const divided = (first, second, divisor) =>
      divisor.isZero ? [ZERO, ZERO] : [divide(first, divisor), divide(second, exactMultiply(divisor, divisor))];
    const ofValues = (some, isRelative, more) => {
      if (body.aggregate === "count") return [ZERO, ZERO];
      if (body.aggregate === "min" || body.aggregate === "max") {
        const change = isRelative ? some[body.aggregate] : ONE;
        return [change, exactMultiply(change, change)];
      }
      let changes;
      if (body.weight) changes = isRelative ? [some.weighted, some.weightedSquare] : [some.weight, some.weightSquare];
      else changes = isRelative ? [some.total, some.square] : [some.count, some.count];
      const added = isRelative ? [more?.rated, more?.ratedSquare] : [more?.rate, more?.rateSquare],
        [first, second] = more ? changes.map((one, at) => exactAdd(one, added[at])) : changes;
      return divided(first, second, body.weight ? whole.weight : body.aggregate === "average" ? whole.count : ONE);
    };
    const ofWeights = (some, isRelative) => {
      if (whole.weight.isZero) return [ZERO, ZERO];
      const mean = divide(whole.weighted, whole.weight),
        terms = isRelative
          ? [some.weightedSquare, some.cross, some.weightSquare]
          : [some.square, some.total, some.count];
      const first = isRelative
        ? exactSubtract(some.weighted, exactMultiply(mean, some.weight))
        : exactSubtract(some.total, exactMultiply(mean, some.count));
      const second = exactAdd(
        exactSubtract(terms[0], exactMultiply(exactMultiply(TWO, mean), terms[1])),
        exactMultiply(exactMultiply(mean, mean), terms[2]),
      );
      return divided(first, second, whole.weight);
    };
    // A least or greatest value changes with one reading, whose class is the only one that counts.
    const extreme = ["min", "max"].includes(body.aggregate) ? whole[body.aggregate] : null,
      all = [...classes.values()],
      holding = extreme ? all.filter(({ key }) => equal(sums.get(key)[body.aggregate], extreme)) : [];
    for (const { key, owner, values, weights } of extreme ? [findLeastKnown(holding, extreme, unit)] : all) {
      const some = sums.get(key);
      for (const one of values)
        if (one.effect !== null || !names.isOfOthers)
          builder.add(one, owner, unit, ...ofValues(some, one.isRelative, filled.get(key)));
      for (const one of body.weight ? weights.filter(({ effect }) => effect !== null || !names.areWeightsOfOthers) : [])
        builder.add(one, `${owner} ${body.weight}`, weightUnit, ...ofWeights(some, one.isRelative));
    }
    return builder.build();
  }
  function sumPairs(pairs) {
    const values = pairs.map((pair) => pair.value),
      weights = pairs.map((pair) => pair.weight ?? ZERO),
      products = values.map((value, at) => exactMultiply(value, weights[at]));
    const squares = (some) => exactTotal(some.map((one) => exactMultiply(one, one)));
    return {
      count: new Dec(BigInt(pairs.length)),
      total: exactTotal(values),
      square: squares(values),
      weight: exactTotal(weights),
      weighted: exactTotal(products),
      weightSquare: squares(weights),
      cross: exactTotal(products.map((product, at) => exactMultiply(product, weights[at]))),
      weightedSquare: squares(products),
      min: values.length ? least(values) : null,
      max: values.length ? greatest(values) : null,
    };
  }
  /** Before the output, in the name of a further effect of an array. */
  const IN_OUTPUT = " in ";
  const familyOf = ({ name, owner }) => JSON.stringify([owner ? name.split(IN_OUTPUT)[0] : name, owner]);
  const keyOfRead = (slug, weight) => JSON.stringify([slug, weight]);
  /** What must equal a text for a condition to hold. */
  function listEqualTexts(tree) {
    if (tree?.kind !== "binary") return [];
    if (tree.operator === "and") return [...listEqualTexts(tree.left), ...listEqualTexts(tree.right)];
    const isEqual = tree.operator === "=" && tree.left.kind === "name" && tree.right.kind === "text";
    return isEqual ? [[nameOf(tree.left), tree.right.value]] : [];
  }
  /** The inputs that may read the same data points, by each of what they read: values, and weights. */
  function findReadingFamilies(contents, model) {
    const named = new Set(model.uncertainty.correlations.flatMap(({ between }) => between)),
      has = (type, point) => contents.points.get(type)?.some((one) => one.data_point === point);
    const reads = model.nodes
      .filter((node) => node.kind === "input" && node.body.aggregate !== "count")
      .flatMap((node) => {
        const { body } = node,
          { eventType, dataPointType, weight, where, join } = body,
          value = { node, weight: null, point: JSON.stringify([eventType, dataPointType]), equals: new Map(listEqualTexts(where)) };
        if (!weight) return [value];
        const target = join && !has(eventType, weight) ? model.bySlug.get(join.to).body : body;
        return [
          value,
          { node, weight, point: JSON.stringify([target.eventType, weight]), equals: new Map(listEqualTexts(target.where)) },
        ];
      });
    const mayMeet = (one, other) =>
      one.point === other.point && [...one.equals].every(([name, text]) => (other.equals.get(name) ?? text) === text);
    let groups = [];
    const isNamed = ({ node }) => named.has(node.slug);
    for (const read of reads.filter((one) => !isNamed(one))) {
      const meeting = groups.filter((group) => group.some((other) => mayMeet(read, other)));
      groups = [...groups.filter((group) => !meeting.includes(group)), [...meeting.flat(), read]];
    }
    const stated = ({ uncertainty }) => (uncertainty ? buildStatement(uncertainty).key : null),
      filterOf = ({ where }) => (where ? printExpression(where) : null);
    const families = new Map();
    for (const group of [...groups, ...reads.filter(isNamed).map((read) => [read])]) {
      if (group.length === 1 && !group[0].node.body.join) continue;
      group.sort((a, b) => model.nodes.indexOf(a.node) - model.nodes.indexOf(b.node) || (a.weight !== null) - (b.weight !== null));
      const [first] = group;
      const isProportional = group.every(
        ({ node, weight }) =>
          weight === null &&
          ["sum", "average"].includes(node.body.aggregate) &&
          !node.body.weight &&
          !node.body.join &&
          !node.body.isAnyPeriod &&
          filterOf(node.body) === filterOf(first.node.body) &&
          node.body.straddle === first.node.body.straddle &&
          stated(node) === stated(first.node),
      );
      for (const read of group) families.set(keyOfRead(read.node.slug, read.weight), { reads: group, isProportional });
    }
    return families;
  }
  /** What errors have of the effects of those before, and the rest as an effect of its own. */
  function splitOwnErrors(bases, slug, name, label, owner, errors) {
    if (errors.change.isZero) return new Map();
    const columns = [];
    for (const basis of bases) {
      const known = total(columns.map((one, at) => multiply(one, basis.columns[at]))),
        common = subtract(findCovariance(errors, basis.errors), known);
      columns.push(divide(common, basis.columns[basis.columns.length - 1]));
    }
    const names = bases.map((basis) => basis.name),
      whole = exactMultiply(errors.change, errors.change),
      rest = subtract(whole, exactTotal(columns.map((one) => exactMultiply(one, one))));
    if (compare(rest, multiply(whole, new Dec(1n, -24))) > 0) {
      columns.push(bases.length ? squareRoot(rest) : errors.change);
      names.push(bases.length ? `${name.node.slug}${IN_OUTPUT}${label}` : name.node.slug);
      bases.push({ name: names[names.length - 1], errors, columns });
    } else if (columns.length === 1) columns[0] = columns[0].c < 0n ? negate(errors.change) : errors.change;
    const of = name.weight === null ? owner : `${owner} ${name.weight}`;
    return new Map(
      names
        .map((one, at) => [effectKey(one, of), { name: one, owner: of, freedom: errors.freedom, byInput: new Map([[slug, columns[at]]]) }])
        .filter((_, at) => !columns[at].isZero),
    );
  }
  /** The covariance of two by the errors of the same readings. */
  function findCovariance(one, other) {
    const others = new Map(
      [...other.byStatement.values()].flatMap(({ place, size, changes }) =>
        [...changes].map(([reading, change]) => [`${reading}/${place}`, { size, change }]),
      ),
    );
    return total(
      [...one.byStatement.values()].flatMap(({ place, size, changes }) => {
        const products = new Map();
        for (const [reading, change] of changes) {
          const found = others.get(`${reading}/${place}`);
          if (found)
            gather(products, String(found.size), () => ({ size: found.size, some: [] })).some.push(exactMultiply(change, found.change));
        }
        return [...products.values()].map((of) => multiply(multiply(size, of.size), exactTotal(of.some)));
      }),
    );
  }
  /** What values make of something by effects that they name, and by owner what they have for themselves. */
  function rateErrors(slug, rated, unit) {
    const components = findRatedComponents(slug, rated, unit),
      byOwner = new Map();
    for (const { owner, values, some, key } of joinRated(rated).values())
      for (const [place, one] of values.entries())
        if (one.effect === null)
          gather(byOwner, owner, () => new Map()).set(`${key}/${place}`, {
            place,
            size: multiply(one.size, one.scaleTo(unit)),
            changes: new Map(
              some.map(({ reading, rate, value }) => [reading, one.isRelative ? exactMultiply(rate, value) : rate]),
            ),
          });
    const own = [...byOwner].map(([owner, byStatement]) => {
      const pooled = components.get(effectKey(slug, owner));
      return [owner, { change: pooled ? changeOf(pooled) : ZERO, freedom: pooled?.freedom ?? null, byStatement }];
    });
    return { shared: new Map([...components].filter(([, one]) => one.owner === "")), own: new Map(own) };
  }
  /** Values by their classes; a reading may occur several times, by itself and by values that rest on it. */
  function joinRated(rated) {
    const joined = new Map(),
      classes = new Map();
    for (const one of rated) {
      const key = one.reading === undefined ? joined.size : JSON.stringify([one.reading, one.stated.key]),
        has = joined.get(key);
      joined.set(key, has ? { ...has, rate: exactAdd(has.rate, one.rate) } : one);
    }
    for (const one of joined.values()) gather(classes, one.stated.key, () => ({ ...one.stated, some: [] })).some.push(one);
    return classes;
  }
  /** What something makes uncertain that changes with single values, at rates per unit of the data. */
  function findRatedComponents(slug, rated, unit) {
    const builder = new ComponentBuilder(slug);
    for (const { owner, values, some } of joinRated(rated).values())
      for (const one of values) {
        const column = some.map(({ rate, value }) => (one.isRelative ? exactMultiply(rate, value) : rate));
        builder.add(one, owner, unit, total(column), exactTotal(column.map((change) => exactMultiply(change, change))));
      }
    return builder.build();
  }

  // Combination (equation 16), degrees of freedom (G.2b), and how both are written.

  const compareEffects = (a, b) => compareTexts(a.name, b.name) || compareTexts(a.owner, b.owner);
  const pairKey = (one, other) => JSON.stringify([one, other].sort());
  function combineComponents(components, correlations) {
    const changes = new Map([...components].map(([key, one]) => [key, changeOf(one)])),
      named = new Set([...correlations.keys()].flatMap((key) => JSON.parse(key)).filter((key) => changes.has(key)));
    const coefficient = (one, other) => (one === other ? ZERO : (correlations.get(pairKey(one, other)) ?? ZERO));
    const correlated = (key) =>
      exactTotal([changes.get(key), ...[...named].map((other) => exactMultiply(coefficient(key, other), changes.get(other)))]);
    const uncertainty = rootOfSquares(
      exactTotal([...changes].map(([key, change]) => exactMultiply(change, named.has(key) ? correlated(key) : change))),
    );
    const finite = [...components].filter(([key, one]) => one.freedom !== null && !changes.get(key).isZero);
    if (!finite.length || uncertainty.isZero) return { uncertainty, freedom: null, reason: "infinite" };
    const isCorrelated = finite.some(([key]) =>
      [...changes].some(([other, change]) => !change.isZero && !coefficient(key, other).isZero),
    );
    if (isCorrelated) return { uncertainty, freedom: null, reason: "correlated" };
    const parts = [...groupBy(finite, ([, one]) => familyOf(one)).values()].map((family) => [
      family.length === 1
        ? changes.get(family[0][0])
        : squareRoot(rounded(exactTotal(family.map(([key]) => exactMultiply(changes.get(key), changes.get(key)))))),
      family.map(([, one]) => one.freedom).reduce(fewestDegrees),
    ]);
    return { uncertainty, freedom: applyWelchSatterthwaite(uncertainty, parts), reason: null };
  }
  function writeComponents(components, correlations) {
    const sorted = [...components].sort(([, a], [, b]) => compareEffects(a, b)),
      places = new Map(sorted.map(([key], at) => [key, at]));
    const pairs = [...correlations]
      .map(([key, coefficient]) => [JSON.parse(key).map((one) => places.get(one)), coefficient])
      .filter(([[one, other]]) => one !== undefined && other !== undefined && one !== other)
      .map(([pair, coefficient]) => [...pair.sort((a, b) => a - b), coefficient])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return {
      components: sorted.map(([, { name, owner, freedom, byInput }]) => ({
        by_input: Object.fromEntries([...byInput].map(([input, change]) => [input, String(change)])),
        degrees_of_freedom: freedom === null ? null : String(freedom),
        effect: name,
        owner,
      })),
      correlations: pairs.map(([one, other, coefficient]) => ({ coefficient: String(coefficient), one, other })),
    };
  }
  function readComponents({ components, correlations }) {
    const keys = components.map((one) => effectKey(one.effect, one.owner));
    return {
      components: new Map(
        components.map((one, at) => [
          keys[at],
          {
            name: one.effect,
            owner: one.owner,
            freedom: one.degrees_of_freedom === null ? null : readStatedNumber(one.degrees_of_freedom),
            byInput: new Map(Object.entries(one.by_input).map(([input, change]) => [input, readStatedNumber(change)])),
          },
        ]),
      ),
      correlations: new Map(
        correlations.map((one) => [pairKey(keys[one.one], keys[one.other]), readStatedNumber(one.coefficient)]),
      ),
    };
  }
  function writeOutputUncertainty({ components, correlations }, probability) {
    const { uncertainty, freedom, reason } = combineComponents(components, correlations);
    return {
      ...writeComponents(components, correlations),
      coverage_probability: String(probability),
      degrees_of_freedom: freedom === null ? null : String(freedom),
      degrees_of_freedom_reason: reason,
      expanded_uncertainty: String(multiply(uncertainty, findCoverageFactor(probability, freedom))),
      standard_uncertainty: String(uncertainty),
    };
  }

  // Quantiles of the normal distribution and of Student's t, to 30 digits: floats guess one, and Halley's method finds
  // its digits from the distribution function, in whole numbers of so many places.

  const PI_100 = 31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170680n;
  /** The Bernoulli numbers B2, B4, and so on, of Stirling's series. */
  const BERNOULLI = [
    [1n, 6n], [-1n, 30n], [1n, 42n], [-1n, 30n], [5n, 66n], [-691n, 2730n], [7n, 6n], [-3617n, 510n], [43867n, 798n],
    [-174611n, 330n], [854513n, 138n], [-236364091n, 2730n], [8553103n, 6n], [-23749461029n, 870n],
    [8615841276005n, 14322n], [-7709321041217n, 510n], [2577687858367n, 6n],
  ]; // prettier-ignore
  /** Whole numbers in units of 10^-places, and what is computed of them. */
  class FixedNumbers {
    constructor(places) {
      this.places = places;
      this.one = tenTo(places);
      this.half = this.one / 2n;
      this.pi = (PI_100 * this.one) / tenTo(100);
      this.enough = tenTo(places - 45);
      this.logGammas = new Map();
    }
    of(a) {
      return fixed(a, this.places);
    }
    multiply(a, b) {
      return (a * b) / this.one;
    }
    divide(a, b) {
      return (a * this.one) / b;
    }
    ln(a) {
      return fixedNaturalLogOfDec(new Dec(a, -this.places), this.places);
    }
    exp(a) {
      return this.of(exponentialOf(a * tenTo(30), this.places + 30));
    }
    logGamma(a) {
      return gather(this.logGammas, a, () => this.computeLogGamma(a));
    }
    computeLogGamma(a) {
      let value = a,
        product = this.one;
      while (value < 40n * this.one) {
        product = this.multiply(product, value);
        value += this.one;
      }
      let sum = this.multiply(value - this.half, this.ln(value)) - value + this.ln(2n * this.pi) / 2n,
        power = value;
      const square = this.multiply(value, value);
      BERNOULLI.forEach(([n, d], at) => {
        const k = BigInt(2 * (at + 1));
        sum += this.divide((n * this.one) / d, k * (k - 1n) * power);
        power = this.multiply(power, square);
      });
      return sum - this.ln(product);
    }
    /** The regularized incomplete beta function of x, where rest is 1 - x. */
    beta(x, rest, a, b) {
      if (x > this.divide(a + this.one, a + b + 2n * this.one)) return this.one - this.beta(rest, x, b, a);
      const front = this.logGamma(a + b) - this.logGamma(a) - this.logGamma(b);
      const powers = this.multiply(a, this.ln(x)) + this.multiply(b, this.ln(rest));
      return this.multiply(this.divide(this.exp(front + powers), a), this.betaFraction(x, a, b));
    }
    betaFraction(x, a, b) {
      const { one } = this;
      let c = one,
        d = this.divide(one, one - this.divide(this.multiply(a + b, x), a + one)),
        fraction = d;
      for (let number = 1n; number < 10000n; number += 1n) {
        const m = number * one;
        for (const [top, bottom] of [
          [this.multiply(m, b - m), this.multiply(a + 2n * m - one, a + 2n * m)],
          [-this.multiply(a + m, a + b + m), this.multiply(a + 2n * m, a + 2n * m + one)],
        ]) {
          const part = this.divide(this.multiply(top, x), bottom);
          d = this.divide(one, one + this.multiply(part, d));
          c = one + this.divide(part, c);
          fraction = this.multiply(fraction, this.multiply(c, d));
        }
        if (absolute(this.multiply(c, d) - one) <= this.enough) return fraction;
      }
      throw new NoResult("The continued fraction of the incomplete beta function does not end.");
    }
    densityOfNormal(value) {
      return this.multiply(this.exp(-this.multiply(value, value) / 2n), this.divide(this.one, this.root(2n * this.pi)));
    }
    root(a) {
      return wholeRoot(a * this.one);
    }
    /** The upper tail of the normal distribution at a value, and by how much a step there falls short. */
    normal(value) {
      const density = this.densityOfNormal(value),
        bend = value / 2n;
      if (value > 5n * this.one) {
        let fraction = value;
        for (let number = 600n; number > 0n; number -= 1n) fraction = value + this.divide(number * this.one, fraction);
        return { tail: this.divide(density, fraction), density, bend };
      }
      const square = this.multiply(value, value);
      let term = value,
        sum = value;
      for (let number = 3n; term > 0n; number += 2n) {
        term = this.multiply(term, square) / number;
        sum += term;
      }
      return { tail: this.half - this.multiply(density, sum), density, bend };
    }
    /** The same of Student's t. */
    student(value, freedom) {
      const square = this.multiply(value, value),
        whole = freedom + square,
        a = freedom / 2n;
      const tail = this.beta(this.divide(freedom, whole), this.divide(square, whole), a, this.half) / 2n;
      const factor = this.logGamma(a + this.half) - this.logGamma(a) - this.ln(this.multiply(freedom, this.pi)) / 2n;
      const logDensity = factor - this.multiply((freedom + this.one) / 2n, this.ln(this.divide(whole, freedom)));
      const bend = this.divide(this.multiply(freedom + this.one, value), 2n * whole);
      return { tail, density: this.exp(logDensity), bend };
    }
  }
  const quantiles = new Map();
  /** The value above which a tail of Student's t lies, or of the normal distribution without degrees of freedom. */
  function findQuantile(tail, freedom) {
    return gather(quantiles, `${tail} ${freedom}`, () => solveQuantile(tail, freedom));
  }
  function solveQuantile(tail, freedom) {
    if (equal(tail, new Dec(5n, -1))) return ZERO;
    const guess = parseDec(guessQuantile(Number(tail), freedom === null ? null : Number(freedom)).toPrecision(15));
    const small = Math.max(0, -tail.adjusted),
      large = Math.max(0, guess.adjusted) * (freedom === null ? 1 : 4);
    const numbers = new FixedNumbers(70 + 2 * small + large),
      { one } = numbers;
    let quantile = numbers.of(guess);
    for (let step = 0; step < 200; step += 1) {
      const found = freedom === null ? numbers.normal(quantile) : numbers.student(quantile, numbers.of(freedom)),
        newton = numbers.divide(found.tail - numbers.of(tail), found.density),
        correction = one - numbers.multiply(newton, found.bend),
        change = correction > numbers.half ? numbers.divide(newton, correction) : newton;
      quantile = quantile + change > 0n ? quantile + change : quantile / 2n;
      // The next step would be as small as the third power of this one.
      if (absolute(change) <= (quantile > one ? quantile : one) / tenTo(15)) return rounded(new Dec(quantile, -numbers.places), 30);
    }
    throw new NoResult(`There is no quantile for ${tail} and ${freedom}.`);
  }
  const findCoverageFactor = (probability, freedom) =>
    findQuantile(exactMultiply(exactSubtract(ONE, probability), new Dec(5n, -1)), freedom);

  // The same in binary floats, to about ten digits: where to begin.

  function logGamma(x) {
    let value = x,
      product = 0;
    while (value < 20) product += Math.log(value++);
    const inverse = 1 / (value * value);
    const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / value;
    return (value - 0.5) * Math.log(value) - value + Math.log(2 * Math.PI) / 2 + series - product;
  }
  function incompleteBeta(x, rest, a, b) {
    if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(rest, x, b, a);
    let c = 1,
      d = 1 / (1 - ((a + b) * x) / (a + 1)),
      fraction = d;
    for (let m = 1; m < 10000; m += 1) {
      for (const part of [
        (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
        (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
      ]) {
        d = 1 / (1 + part * d);
        c = 1 + part / c;
        fraction *= c * d;
      }
      if (Math.abs(c * d - 1) < 1e-16) break;
    }
    return (Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(rest)) / a) * fraction;
  }
  function tailOfNormal(value) {
    const density = Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI);
    if (value > 5) {
      let fraction = value;
      for (let number = 300; number > 0; number -= 1) fraction = value + number / fraction;
      return density / fraction;
    }
    let term = value,
      sum = value;
    for (let number = 3; term > 1e-18 * sum; number += 2) {
      term *= (value * value) / number;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  function tailOfT(value, freedom) {
    const square = value * value;
    return incompleteBeta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5) / 2;
  }
  function guessQuantile(tail, freedom) {
    // Of very many degrees of freedom t is the normal distribution and the first term of its expansion.
    if (freedom !== null && freedom > 1e6) {
      const normal = guessQuantile(tail, null);
      return normal + (normal ** 3 + normal) / (4 * freedom);
    }
    const tailAt = (value) => (freedom === null ? tailOfNormal(value) : tailOfT(value, freedom));
    let low = 0,
      high = 1;
    while (tailAt(high) > tail && high < 1e150) high *= 2;
    for (let step = 0; step < 200 && low < high; step += 1) {
      const middle = (low + high) / 2;
      if (middle === low || middle === high) break;
      if (tailAt(middle) > tail) low = middle;
      else high = middle;
    }
    return high;
  }

  // Whether statements, calibrations and uncertainties are of what is there.

  function checkStated(contents, faults) {
    if (!contents.isUncertain) return;
    const asks = (batch) => Boolean(contents.documents.get(batch.model)?.uncertainty);
    checkNamed(
      "uncertainties.jsonl",
      contents.uncertainties.keys(),
      [...contents.batches.values()].filter(asks).map((batch) => batch.batch),
      faults,
    );
    for (const row of contents.rows["statements.csv"])
      if (!isStatedThere(contents, row))
        faults.add("statements.csv", `${row.kind} ${row.name} ${row.data_point} is not in the bundle.`);
    for (const [part, some] of [
      ["statements.csv", [...contents.stated.versions.values()]],
      [
        "calibrations.csv",
        [...groupBy([...contents.stated.certificates.values()].flat(), ({ row }) => row.calibration).values()],
      ],
      [
        "sources.csv",
        [...groupBy([...contents.stated.ofSources.values()].flat(), ({ row }) => `${row.correction}/${row.event}`).values()],
      ],
    ])
      for (const versions of some) for (const sentence of explainVersions(contents, versions)) faults.add(part, sentence);
    for (const row of contents.rows["calibrations.csv"])
      if (row.calibration_id !== idOf("calibration", contents.manifest.project_number, row.calibration))
        faults.add("calibrations.csv", `Calibration ${row.calibration} has another id.`);
    checkSources(contents, (sentence) => faults.add("sources.csv", sentence));
    for (const some of contents.stated.certificates.values())
      some.forEach((one, at) =>
        some.slice(at + 1).forEach((other) => {
          if (one.row.calibration === other.row.calibration || one.row.asset !== other.row.asset) return;
          const isApart =
            (one.row.valid_until !== null && one.row.valid_until <= other.row.valid_from) ||
            (other.row.valid_until !== null && other.row.valid_until <= one.row.valid_from);
          if (!isApart && [...one.batches].some((batch) => other.batches.has(batch)))
            faults.add("calibrations.csv", `Calibrations ${one.row.calibration} and ${other.row.calibration} hold at once.`);
        }),
      );
  }
  function groupBy(some, keyOf) {
    const groups = new Map();
    for (const one of some) gather(groups, keyOf(one), () => []).push(one);
    return groups;
  }
  /** Whether a rule put in the value of a data point for another one, or for none. */
  const isByRule = (correction, point) => correction?.origin === "substitution" && correction.data_point === point;
  /** The readings that values rest on which rules put in: of such values, complete, and as the batch read them. */
  function checkSources(contents, addFault) {
    const byBatch = new Map(),
      named = new Map(),
      summed = new Map();
    for (const one of [...contents.stated.ofSources.values()].flat()) {
      const correction = contents.corrections.get(one.row.correction);
      if (!isByRule(correction, correction?.data_point))
        addFault(`Correction ${one.row.correction} is not in the bundle, or not by a rule that fills values.`);
      else for (const batch of one.batches) gather(gather(byBatch, batch, () => new Map()), one.row.correction, () => []).push(one);
    }
    for (const [batch, sources] of byBatch) {
      const line = contents.lineage.get(batch),
        used = new Set(line ? parseRanges(line.corrections) : []),
        read = new Map();
      for (const { event_type: type, events, versions } of line?.inputs ?? [])
        for (const event of parseRanges(events)) read.set(event, findEvent(contents, type, event, versions[event] ?? 0));
      for (const [correction, some] of sources) {
        const events = some.map(({ row }) => row.event).join(),
          point = contents.corrections.get(correction).data_point;
        if (!used.has(correction)) addFault(`Batch ${batch} has not used correction ${correction}, whose sources name it.`);
        if (gather(named, correction, () => events) !== events)
          addFault(`Correction ${correction} has other sources in batch ${batch} than in others.`);
        gather(summed, correction, () => some);
        for (const { row, statement } of some) {
          const own = read.get(row.event);
          if (!own) continue;
          const stated = contents.stated.find("value", row.event, point, batch);
          if (own.start_time !== row.start_time || own.asset !== row.asset || stated?.key !== statement?.key)
            addFault(`Source ${row.event} of correction ${correction} is not as batch ${batch} read it.`);
        }
      }
    }
    for (const [number, some] of [...summed].sort(([a], [b]) => a - b))
      for (const sentence of explainWeights(contents, contents.corrections.get(number), some)) addFault(sentence);
  }
  /** By any method the value is as many times greater, and greater by as much, as all of its readings are. */
  function* explainWeights(contents, correction, some) {
    const [weights, parts] = [
        some.map(({ row }) => row.weight),
        some.map(({ row }) => exactMultiply(row.weight, row.value)),
      ],
      rounding = new Dec(1n, -12),
      isOff = (a, b, allowed) => compare(sizeOf(exactSubtract(a, b)), allowed) > 0;
    if (isOff(exactTotal(weights), ONE, exactMultiply(rounding, exactTotal(weights.map(sizeOf)))))
      yield `The weights of the sources of correction ${correction.correction} do not add up to 1.`;
    if (!NUMBER.test(correction.to_value)) return;
    const filled = parseDec(correction.to_value),
      rule = contents.parts.get(rulePart(correction)),
      round = rule ? JSON.parse(decodeLoosely(rule)).correction?.round : null,
      quantum = round ? new Dec(1n, -Number(round.places)) : ZERO,
      size = exactTotal([...parts, filled].map(sizeOf));
    if (isOff(exactTotal(parts), filled, exactAdd(exactMultiply(rounding, size), quantum)))
      yield `The sources of correction ${correction.correction} come to another value than ${correction.to_value}.`;
  }
  function isStatedThere(contents, { kind, name, data_point: point }) {
    const hasPoint = (types) => types.some((type) => (contents.points.get(type) ?? []).some((one) => one.data_point === point));
    if (kind === "type") return hasPoint([name]);
    if (!/^[0-9]+$/.test(name)) return false;
    if (kind === "value") return hasPoint([...contents.points.keys()]) && hasEvent(contents, Number(name));
    if (kind === "correction") return isByRule(contents.corrections.get(Number(name)), point);
    return kind === "static_input" && contents.statics.get(Number(name))?.slug === point;
  }
  function* explainVersions(contents, versions) {
    const named = new Set(),
      counted = new Set(versions.map(({ row }) => row.version));
    for (const { row, batches } of versions) {
      if (row.version !== 0 && !counted.has(row.version - 1)) yield `Version ${row.version} follows none.`;
      if (!batches.size || [...batches].some((batch) => !contents.batches.has(batch)))
        yield `Version ${row.version} names a batch that is not there, or none.`;
      if ([...batches].some((batch) => named.has(batch))) yield "Two versions name the same batch.";
      for (const batch of batches) named.add(batch);
    }
  }
  /** What single values state is what was captured, or a later row of the log has the leaf; gives what is not proved. */
  async function checkStatedLines(contents, bound, rows, faults) {
    const unproved = [];
    const fieldsOf = (event) => (bound.lines.get(event) ?? "").split("\t");
    const stating = new Set([...bound.lines.keys()].filter((event) => fieldsOf(event).length === 15));
    if (!contents.isUncertain) {
      for (const event of stating) faults.add("captured.txt", `Event ${event} states what this format lacks.`);
      return [];
    }
    const ofEvent = groupBy(
      contents.rows["statements.csv"].filter((row) => row.kind === "value"),
      (row) => Number(row.name),
    );
    for (const event of ofEvent.keys()) stating.add(event);
    const leaves = new Map();
    for (const row of rows)
      for (const [name, before, after] of listLeaves(row)) {
        const event = numberOf("event", name, contents.manifest.project_number);
        gather(leaves, event, () => new Set()).add(before).add(after);
      }
    for (const line of contents.lineage.values())
      for (const read of line.inputs) {
        const positions = new Map(contents.points.get(read.event_type).map((one) => [one.data_point, one.position]));
        for (const event of parseRanges(read.events).filter((one) => stating.has(one) && bound.writeOf.has(one))) {
          const state = (ofEvent.get(event) ?? []).filter((row) => parseRanges(row.batches).includes(line.batch));
          const stated = Object.fromEntries(
            state.map((row) => [String(positions.get(row.data_point) ?? 0), readJson(row.statement)]),
          );
          const text = fieldsOf(event).slice(0, 14).join("\t") + (state.length ? `\t${writeJson(stated)}` : ""),
            leaf = toHex(await hashLeaf(text));
          if (text === bound.lines.get(event) || leaves.get(event)?.has(leaf)) continue;
          if (leaves.has(event)) unproved.push(event);
          else faults.add("statements.csv", `What event ${event} states was neither captured nor stated later.`);
        }
      }
    return unproved.length
      ? [`No row of the log has what some events stated when batches read them: ${[...new Set(unproved)].join(", ")}.`]
      : [];
  }
  function listLeaves(row) {
    if (row.action === "event.update") {
      const was = row.before?.leaf ?? null,
        now = row.after?.leaf ?? null;
      return was === null || now === null || was === now ? [] : [[row.object, was, now]];
    }
    return ["event.update_many", "data_point.correct"].includes(row.action) ? (row.after?.leaves ?? []) : [];
  }

  async function digestNumbers(numbers) {
    return sha256Hex(toUtf8(numbers.map(String).join("\n")));
  }
  async function describeAmount(amount) {
    if (amount === null) return "";
    return Array.isArray(amount) ? `[${amount.length} ${await digestNumbers(amount)}]` : amount.toString();
  }
  async function describeKept(kept) {
    if (kept.element_count === null) return kept.value === null ? "" : kept.value.toString();
    const stated = `[${kept.element_count} ${kept.elements_sha256}]`;
    if (kept.elements === null) return stated;
    const own = await describeAmount(kept.elements.map(parseDec));
    return own === stated ? stated : `${own} by its elements`;
  }

  async function recalculate(contents, faults, counts) {
    for (const line of contents.slots) {
      try {
        requireThat(contents.documents.has(line.model), `Model ${line.model} is not there.`);
        const slot = new SlotCalculation(contents, line),
          first = new Map();
        for (const number of line.batches) {
          const own = writeJson({ ...contents.lineage.get(number), batch: 0 }),
            batch = contents.batches.get(number);
          if (gather(first, batch.run, () => own) !== own)
            faults.add(
              "lineage.jsonl",
              `Batch ${batch.batch_id} was made of other data than its run on other ledgers.`,
            );
          await compareBatch(contents, slot, batch, faults, counts);
        }
      } catch (error) {
        faults.add("slots.jsonl", `Batches ${line.batches} cannot be calculated again: ${explain(error)}`);
      }
    }
    for (const file of contents.events.values()) {
      const unread = [...file.byKey.keys()].filter((key) => !file.read.has(key)).slice(0, 5);
      if (unread.length) faults.add(file.table.part, `No batch was made of event ${unread.join(", ")}.`);
    }
  }
  async function compareBatch(contents, slot, batch, faults, counts) {
    const addFault = (part, sentence) => faults.add(part, `Batch ${batch.batch_id}: ${sentence}`);
    const { model } = slot,
      run = slot.runs.get(partitionKey(partitionOf(batch))),
      ledger = contents.ledgers.get(batch.ledger),
      output = ledger.output ?? model.primaryOutput;
    counts.batches += 1;
    for (const problem of slot.problems) addFault("batches.csv", problem);
    checkPlace(contents, model, batch, (sentence) => addFault("batches.csv", sentence));
    if (batch.engine_revision !== 2)
      addFault("batches.csv", `Revision ${batch.engine_revision} of the engine is not known.`);
    if (!run && (!batch.total.isZero || contents.lineage.get(batch.batch).inputs.length)) {
      addFault("batches.csv", "Its events make no run of its partition.");
      return;
    }
    const kept = contents.values.get(batch.batch) ?? new Map(),
      readings = run?.readings ?? new Map([[output, { amount: ZERO, whole: null }]]);
    for (const node of model.nodes) {
      const reading = readings.get(node.slug),
        row = kept.get(node.slug);
      if (!reading || reading.amount === null) {
        if (row)
          addFault(
            "node_values.csv",
            `Node ${node.slug} is ${await describeKept(row)}, and nothing when calculated again.`,
          );
        continue;
      }
      if (!row) {
        addFault("node_values.csv", `Node ${node.slug} is missing.`);
        continue;
      }
      const anew = await describeAmount(reading.amount),
        stated = await describeKept(row),
        isArray = row.element_count !== null;
      const isBoth = isArray ? row.value !== null : Boolean(row.elements?.length || row.elements_sha256);
      const wholes = [row.whole, reading.whole].map(String);
      if (stated !== anew || wholes[0] !== wholes[1] || isBoth) {
        addFault("node_values.csv", `Node ${node.slug} is ${stated}, and ${anew} when calculated again.`);
        continue;
      }
      counts.nodeValues += 1;
      const isOutput = model.outputs.includes(node);
      if (
        row.name !== (node.name ?? node.slug.replaceAll("_", " ")) ||
        (row.unit ?? "") !== (node.unit.text || "1") ||
        row.is_output !== isOutput ||
        row.is_primary !== (node.slug === output)
      ) {
        addFault("node_values.csv", `Node ${node.slug} has another name, unit or purpose than in its model.`);
      }
      if (!isOutput && row.contributions !== null)
        addFault("node_values.csv", `Node ${node.slug} is no output, and rests on something.`);
      if (isOutput && run?.restsOn) {
        const rests = run.restsOn.has(node.slug) ? run.restsOn.get(node.slug) : new Map();
        const columns = rests && SOURCES.map((source) => (rests.get(source) ?? ZERO).toString());
        if (JSON.stringify(row.contributions) !== JSON.stringify(columns))
          addFault(
            "node_values.csv",
            `Node ${node.slug} rests on ${row.contributions}, and on ${columns} when calculated again.`,
          );
        else counts.contributions += 1;
      }
    }
    const unknown = [...kept.keys()].find((slug) => !model.bySlug.has(slug));
    if (unknown) addFault("node_values.csv", `Node ${unknown} is none of its model.`);
    if (slot.isAsking) compareUncertainty(contents, slot, batch, run, addFault, counts);
    if (!run) return;
    const credited = findCredit(model, run, output);
    const sum =
      credited instanceof Dec
        ? roundTo(
            convert(credited, model.bySlug.get(output).unit, parseUnit(ledger.unit)),
            ledger.scale,
            ledger.rounding === "down" ? "floor" : "half_even",
          )
        : ZERO;
    if (!equal(sum, batch.total)) addFault("batches.csv", `Its run comes to ${sum}, and the batch says ${batch.total}.`);
    if (batch.share_places !== model.sharePlaces)
      addFault(
        "batches.csv",
        `Shares were cut at ${batch.share_places} places, and its model says ${model.sharePlaces}.`,
      );
  }
  /** What a ledger is credited with, in the unit of the output: what it came to, less its discount. */
  function findCredit(model, run, output) {
    const { discount } = model.bySlug.get(output),
      amount = run.readings.get(output)?.amount ?? null,
      found = run.uncertainties?.get(output);
    if (!(amount instanceof Dec) || !discount?.size || compare(amount, ZERO) <= 0 || !found) return amount;
    const { uncertainty, freedom } = combineComponents(found.components, found.correlations),
      percentile = discount.get("percentile"),
      factor = percentile ? findQuantile(percentile, freedom) : discount.get("standard_deviations"),
      whole = multiply(factor, uncertainty);
    return subtract(amount, compare(whole, amount) > 0 ? amount : whole);
  }
  function compareUncertainty(contents, slot, batch, run, addFault, counts) {
    const part = "uncertainties.jsonl",
      line = contents.uncertainties.get(batch.batch),
      found = run?.uncertainties ?? new Map(),
      probability = slot.model.uncertainty.coverage_probability;
    if (!line) return;
    for (const slug of new Set([...found.keys(), ...Object.keys(line.outputs)])) {
      const stated = line.outputs[slug] ?? {};
      const anew = found.has(slug) ? writeOutputUncertainty(found.get(slug), probability) : {};
      if (writeJson(stated) !== writeJson(anew))
        addFault(part, `The uncertainty of ${slug} is another than when calculated again.`);
      else counts.uncertainties += 1;
    }
    if (line.draws.length !== contents.lineage.get(batch.batch).draws.length)
      addFault(part, "It says the uncertainty of another number of withdrawals than it has.");
  }
  /** Its slot is one of its cadence, and its name is that of its slot and partition. */
  function checkPlace(contents, model, batch, addFault) {
    const zone = contents.manifest.time_zone,
      slot = slotOf(batch);
    if (batch.deleted_at !== null || (batch.total.isZero && !contents.lineage.get(batch.batch).inputs.length)) return;
    if (!batch.by_event) {
      const own = model.cadence === "event" ? null : findSlot(model.cadence, batch.start_time, zone);
      if (!own || own.start !== slot.start || own.end !== slot.end || batch.event !== null) {
        addFault(`Its slot is none of ${model.cadence} slots in ${zone}.`);
        return;
      }
    } else if (model.cadence !== "event") {
      addFault(`Its slot is none of ${model.cadence} slots in ${zone}.`);
      return;
    }
    const place = batch.event
      ? idOf("event", contents.manifest.project_number, batch.event)
      : batch.by_event
        ? ""
        : labelSlot(model.cadence, slot, zone);
    const partition = partitionOf(batch),
      name = partition.tracking_id || [place, labelPartition(partition)].filter(Boolean).join(" ");
    if (batch.tracking_id !== name)
      addFault(`It is called ${batch.tracking_id}, and its slot and partition make ${name}.`);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Rows of all parts refer to one another: what is named is there, and what is there is named.
  // ---------------------------------------------------------------------------------------------------------

  function checkNamed(part, there, named, faults) {
    const rows = new Set(there),
      names = new Set(named);
    for (const one of [...rows].filter((row) => !names.has(row)).slice(0, 5))
      faults.add(part, `Nothing in the bundle is based on row ${one}.`);
    for (const one of [...names].filter((name) => !rows.has(name)).slice(0, 5))
      faults.add(part, `Row ${one} is named, and is missing.`);
  }
  const rulePart = (row) => `rules/${row.rule}-${row.rule_version}.json`;
  function checkParts(contents, vouched, faults) {
    const expected = new Set([
      "bundle.json",
      "report.json",
      "report.html",
      "datapackage.json",
      "ro-crate-metadata.json",
      "SHA256SUMS",
      "SHA256SUMS.sig",
      "lineage.jsonl",
      "slots.jsonl",
      "audit/head.checkpoint",
      "audit/rows.jsonl",
      ...(contents.manifest.format >= 3 ? ["audit/keys.json"] : []),
      ...(contents.isSealed ? ["audit/seal.jsonl", "captured.txt", "audit/writes.jsonl", "audit/writes.json"] : []),
      ...(contents.methodology ? ["methodology.json"] : []),
      ...(contents.isUncertain ? ["uncertainties.jsonl"] : []),
      ...(vouched.seal ? [`audit/${vouched.seal.number}.tlog-proof`] : []),
      ...Object.keys(contents.tables),
      ...[...contents.points.keys()].map((one) => `events/${one}.csv`),
      ...vouched.rows.map((row) => `audit/${row.number}.tlog-proof`),
      ...[...contents.models.values()].map((one) => `models/${one.model_id}.yaml`),
      ...[...contents.corrections.values(), ...contents.findings].filter((one) => one.rule !== null).map(rulePart),
      ...(contents.manifest.is_redacted
        ? []
        : contents.evidence.filter((one) => one.sha256).map((one) => `evidence/${one.sha256}`)),
      ...listEngagementParts(contents),
    ]);
    for (const name of contents.parts.keys())
      if (!expected.has(name)) faults.add(name, "Nothing in the bundle names this part.");
    for (const name of expected) if (!contents.parts.has(name)) faults.add(name, "The part is missing.");
  }
  async function checkRows(contents, digests, faults) {
    checkReport(contents, faults);
    checkBatches(contents, faults);
    checkReached(contents, faults);
    checkNamed(
      "models.csv",
      contents.models.keys(),
      [...contents.batches.values()].map((one) => one.model).filter((one) => one !== null),
      faults,
    );
    for (const [number, row] of contents.models) {
      if (row.model_id !== idOf("model", 0, number))
        faults.add("models.csv", `Model ${number} has another id than ${row.model_id}.`);
      const document = contents.documents.get(number);
      if (document && (await sha256Hex(toUtf8(document.canonical))) !== row.sha256)
        faults.add(`models/${row.model_id}.yaml`, "The document is not the one that made the batches, by its digest.");
    }
    checkNamed(
      "static_inputs.csv",
      contents.statics.keys(),
      [...contents.lineage.values()].flatMap((line) => Object.values(line.static_inputs).flat()),
      faults,
    );
    checkCorrections(contents, faults);
    checkStated(contents, faults);
    for (const row of contents.evidence) {
      const part = `evidence/${row.sha256}`;
      if (
        contents.parts.has(part) &&
        (digests.get(part) !== row.sha256 || contents.parts.get(part).length !== row.size)
      )
        faults.add("evidence.csv", `The file of ${row.name} is not the one that was attached.`);
      if (!isRead(contents, row.event))
        faults.add("evidence.csv", `${row.name} was attached to event ${row.event}, which is not there.`);
    }
  }
  function checkReport(contents, faults) {
    const { report, manifest } = contents,
      byId = new Map([...contents.batches.values()].map((one) => [one.batch_id, one]));
    const addFault = (sentence) => faults.add("report.json", sentence);
    if (report.id !== manifest.report_id || report.project_id !== manifest.project_id)
      faults.add("bundle.json", "It names another report or project than report.json.");
    const owed = "liability" in report ? parseDec(report.liability) : null;
    const several = report.ledgers ?? null,
      ofLedgers = new Set([report.ledger_id, ...(several ?? []).map((one) => one.ledger_id)]);
    checkNetLedgers(contents, addFault);
    const taken = exactTotal(
        several === null
          ? report.inclusions.map((one) => parseDec(one.amount))
          : several.map((one) => parseDec(one.counted)),
      ),
      sum = owed === null ? taken : exactSubtract(taken, owed);
    if (owed !== null && (owed.c <= 0n || report.supersedes === null))
      addFault("It owes something, and only a restatement owes an amount above zero.");
    if (!equal(sum, parseDec(report.amount)))
      addFault(`Its inclusions add up to ${sum}, and it states ${report.amount}.`);
    if (contents.reported.size !== report.inclusions.length) addFault("It includes one batch twice.");
    for (const one of report.inclusions) {
      const batch = byId.get(one.batch_id),
        ledger = batch && contents.ledgers.get(batch.ledger);
      if (!batch) {
        addFault(`It includes batch ${one.batch_id}, which is not there.`);
        continue;
      }
      const stated = [one.tracking_id, one.start_time, one.end_time, one.unit];
      const own = [
        batch.tracking_id,
        writeMoment(batch.start_time),
        writeMoment(batch.end_time),
        ledger?.unit,
      ];
      if (stated.some((value, at) => value !== own[at]) || !ofLedgers.has(ledger?.ledger_id))
        addFault(`What it says of batch ${one.batch_id} is not what the batch is.`);
      if (compare(parseDec(one.amount), batch.credited) > 0)
        addFault(`It includes more of batch ${one.batch_id} than that was credited with.`);
    }
  }
  /** Of a report of several ledgers: its roles are those of the methodology, and each counts for what it should. */
  function checkNetLedgers(contents, addFault) {
    const { report, methodology } = contents,
      roles = (some) => writeJson((some ?? []).map((one) => [one.role, one.sign, one.unit]));
    if (!("ledgers" in report)) {
      if (methodology && "ledgers" in methodology && report.inclusions.length)
        addFault("It states no ledgers, and its methodology names several.");
      return;
    }
    if (roles(report.ledgers) !== roles(methodology?.ledgers))
      addFault("The roles, signs or units of its ledgers are not those of its methodology.");
    if (new Set(report.ledgers.map((one) => one.ledger_id)).size !== report.ledgers.length)
      addFault("It names one ledger in two roles.");
    if (report.ledgers[0]?.ledger_id !== report.ledger_id) {
      addFault("The first of its ledgers is another than its own.");
      return;
    }
    const ledgerOf = new Map(
      [...contents.batches.values()].map((batch) => [batch.batch_id, contents.ledgers.get(batch.ledger)?.ledger_id]),
    );
    for (const one of report.ledgers) {
      const own = report.inclusions.filter((inclusion) => ledgerOf.get(inclusion.batch_id) === one.ledger_id),
        taken = exactTotal(own.map((inclusion) => parseDec(inclusion.amount)));
      if (!equal(taken, parseDec(one.amount)) || writeJson(own.map((inclusion) => inclusion.batch_id)) !== writeJson(one.batch_ids))
        addFault(`What it includes of ${one.role} comes to ${taken}, and it states otherwise.`);
      let conversion = null;
      try {
        conversion = findConversion(parseUnit(one.unit), parseUnit(report.ledgers[0].unit));
      } catch {
        addFault(`The unit of ${one.role} does not convert into that of the report.`);
        continue;
      }
      const [slope, shift, divisor] = conversion,
        sign = parseDec(String(one.sign));
      if (!equal(shift, ZERO) || !equal(exactMultiply(parseDec(one.counted), divisor), exactMultiply(exactMultiply(taken, slope), sign)))
        addFault(`What ${one.role} counts for is not its amount with its sign in the unit of the report.`);
    }
    if (report.effective_at !== null && exactTotal(report.ledgers.map((one) => parseDec(one.counted))).c < 0n)
      addFault("It is below zero: more is deducted than claimed.");
  }
  function checkBatches(contents, faults) {
    const calculated = [...contents.batches.values()].filter((one) => one.model !== null).map((one) => one.batch),
      placed = contents.slots.flatMap((line) => line.batches);
    checkNamed("lineage.jsonl", contents.lineage.keys(), calculated, faults);
    checkNamed("node_values.csv", contents.values.keys(), contents.batches.keys(), faults);
    checkNamed(
      "ledgers.csv",
      contents.ledgers.keys(),
      [...contents.batches.values()].map((one) => one.ledger),
      faults,
    );
    checkNamed("slots.jsonl", placed, calculated, faults);
    if (placed.length !== new Set(placed).size) faults.add("slots.jsonl", "A batch is in two slots.");
    if (contents.slots.some((line, at) => at > 0 && compareKeys(contents.slots[at - 1].batches, line.batches) > 0))
      faults.add("slots.jsonl", "Lines are sorted by their batches, and these are not.");
    for (const [number, batch] of contents.batches) {
      if (batch.batch_id !== idOf("batch", contents.manifest.project_number, number))
        faults.add("batches.csv", `Batch ${number} of the project has another id than ${batch.batch_id}.`);
    }
    for (const line of contents.slots) {
      for (const number of line.batches) {
        const made = contents.batches.get(number);
        if (made && (made.model !== line.model || made.generation !== line.generation))
          faults.add("slots.jsonl", `Batch ${made.batch_id} was made by another model version or generation.`);
      }
    }
  }
  const storyKey = (ledger, run) => `${ledger}/${run}`;
  function groupStories(contents) {
    const stories = new Map();
    for (const batch of contents.batches.values())
      if (batch.run !== null) gather(stories, storyKey(batch.ledger, batch.run), () => []).push(batch);
    return stories;
  }
  /** Every batch is reported, or one that is reached is based on it: by its slot, its withdrawals, or its run. */
  function checkReached(contents, faults) {
    const lines = new Map(contents.slots.flatMap((line) => line.batches.map((number) => [number, line]))),
      stories = groupStories(contents);
    const waiting = [...contents.batches.values()]
        .filter((one) => contents.reported.has(one.batch_id))
        .map((one) => one.batch),
      reached = new Set();
    while (waiting.length) {
      const number = waiting.pop(),
        batch = contents.batches.get(number),
        line = lines.get(number);
      if (reached.has(number)) continue;
      if (!batch) {
        faults.add("batches.csv", `Batch ${number} is named, and is missing.`);
        reached.add(number);
        continue;
      }
      reached.add(number);
      waiting.push(
        ...(line ? [...line.batches, ...line.alongside] : []),
        ...(contents.lineage.get(number)?.draws ?? []).map((one) => one.source),
      );
      const story = batch.run === null ? [] : stories.get(storyKey(batch.ledger, batch.run)).map((one) => one.batch);
      waiting.push(...story.filter((one) => contents.hasStories || one < number));
    }
    for (const number of [...contents.batches.keys()].filter((one) => !reached.has(one)).slice(0, 5))
      faults.add("batches.csv", `Nothing that is reported is based on batch ${contents.batches.get(number).batch_id}.`);
  }
  const ORIGINS = ["manual", "adjustment", "substitution", "completion"];
  const FIELDS_OF_EVENTS = {
    start_time: "start_time",
    end_time: "end_time",
    tracking_id: "tracking_id",
    feedstock_id: "feedstock",
    asset_id: "asset",
  };
  const writeField = (value) =>
    value instanceof Dec ? value.toString() : typeof value === "boolean" ? String(value) : value;
  /** Each correction was in force for a batch, whose event had the value that it put there. */
  function checkCorrections(contents, faults) {
    const named = new Set(),
      addFault = (number, sentence) => faults.add("corrections.csv", `Correction ${number} ${sentence}`);
    for (const [number, one] of contents.corrections)
      if (!ORIGINS.includes(one.origin)) addFault(number, `has the origin ${one.origin}, which is none.`);
    for (const [number, one] of contents.corrections)
      if ((one.rule === null) !== (one.rule_version === null)) addFault(number, "names a rule without its version.");
    for (const line of contents.lineage.values()) {
      for (const number of parseRanges(line.corrections)) {
        named.add(number);
        const row = contents.corrections.get(number);
        if (!row) continue;
        const reads = line.inputs.filter((read) => hasNumber(parseRanges(read.events), row.event));
        if (!reads.length) addFault(number, `is of an event that batch ${line.batch} was not made of.`);
        for (const read of reads) {
          const event = contents.events
            .get(read.event_type)
            ?.byKey.get(`${row.event}/${read.versions[row.event] ?? 0}`);
          const field = FIELDS_OF_EVENTS[row.data_point] ?? `.${row.data_point}`;
          if (!event || !(field in event)) {
            addFault(number, `is of ${row.data_point}, which event ${row.event} does not have.`);
            break;
          }
          const seen = field.endsWith("_time") ? writeMoment(event[field]) : writeField(event[field]);
          if (seen !== row.to_value) {
            addFault(number, `puts ${row.to_value} there, and batch ${line.batch} read ${seen}.`);
            break;
          }
        }
      }
    }
    if (contents.hasStories)
      for (const [number, row] of contents.corrections) if (hasEvent(contents, row.event)) named.add(number);
    checkNamed("corrections.csv", contents.corrections.keys(), named, faults);
  }

  // ---------------------------------------------------------------------------------------------------------
  // Ledgers: entries by batches and runs, totals of runs, balances, and what the report includes.
  // ---------------------------------------------------------------------------------------------------------

  const KINDS = ["credit", "fall", "rise", "draw", "return", "reserve", "release", "report", "restate"];
  const GIVES = new Set(["credit", "rise", "return", "release", "restate"]),
    DRAWS = new Set(["draw", "return"]);
  const GENERATED = new Set(["credit", "fall", "rise"]),
    OF_REPORTS = new Set(["reserve", "release", "report", "restate"]);
  const newestOf = (story) =>
    story.filter((one) => one.deleted_at === null).reduce((a, b) => (a && a.batch > b.batch ? a : b), null);
  const describePosting = (entry, sign = 1n) =>
    [
      entry.ledger,
      entry.batch,
      entry.kind,
      new Dec(sign * entry.amount.c, entry.amount.e),
      entry.effective_at,
      entry.run,
      entry.node,
      entry.posted_by,
    ].join("|");

  /** By the id of each report the one that it restates. */
  const readRestated = (vouched) =>
    new Map(
      vouched.rows
        .filter((row) => row.after && typeof row.after === "object" && "inclusions" in row.after)
        .map((row) => [row.object, row.after.supersedes]),
    );
  function followRestated(first, restated) {
    const chain = new Set();
    for (let name = first; name && !chain.has(name); name = restated.get(name)) chain.add(name);
    return chain;
  }
  const listRestated = (report, vouched) => followRestated(report.supersedes, readRestated(vouched)).add(report.id);
  /** By the ids of the reports that handed over what they held, and of those that these restate, the one that did. */
  function listHandedOver(vouched) {
    const restated = readRestated(vouched),
      chains = new Map();
    for (const row of vouched.rows)
      if (SUCCEEDING.has(row.action))
        for (const name of row.after?.predecessors ?? [])
          for (const one of followRestated(name, restated)) chains.set(one, name);
    return chains;
  }
  /** What lets a report take the place of others. */
  const SUCCEEDING = new Set(["report.merge", "report.split"]);
  const isCompleteReport = (one) =>
    one !== null && typeof one === "object" && "inclusions" in one && one.status === "complete";
  const acceptedOf = (inclusion) => parseDec(String(inclusion.accepted_amount ?? inclusion.amount));
  /** Where reports took other amounts over than those held whose place they took, by the rows of the log. */
  function* findUnequalSuccessions(rows) {
    const ofReports = rows.filter((row) => row.after && typeof row.after === "object" && "inclusions" in row.after),
      byReport = new Map(),
      successions = new Map();
    for (const row of ofReports) gather(byReport, row.object, () => []).push(row);
    for (const row of ofReports)
      if (SUCCEEDING.has(row.action))
        gather(successions, (row.after.predecessors ?? []).join(" "), () => []).push(row);
    next: for (const successors of successions.values()) {
      const predecessors = successors[0].after.predecessors ?? [],
        difference = new Map(),
        add = (inclusions, sign) => {
          for (const one of inclusions) {
            const amount = acceptedOf(one);
            difference.set(
              one.batch_id,
              exactAdd(difference.get(one.batch_id) ?? ZERO, sign > 0 ? amount : negate(amount)),
            );
          }
        };
      for (const name of predecessors) {
        const before = (byReport.get(name) ?? []).filter((row) => row.number < successors[0].number),
          newest = before[before.length - 1];
        if (!newest || !isCompleteReport(newest.after)) {
          yield `No row of the log says what the report ${name} held.`;
          continue next;
        }
        add(newest.after.inclusions, -1);
      }
      for (const row of successors) add(row.after.inclusions, 1);
      for (const [batch, amount] of difference)
        if (!amount.isZero)
          yield `The reports that took the place of ${predecessors.join(", ")} take ${amount} more of batch ${batch} than was held.`;
    }
  }
  /** What the log says that was accepted of the report's chain: when, and of each batch; null if not known. */
  function readAccepted(report, chain, vouched) {
    const succession = vouched.rows.findLast((row) => row.object === report && SUCCEEDING.has(row.action));
    if (succession && isCompleteReport(succession.after)) return listAccepted(succession.after);
    const sent = vouched.rows.find((row) => row.object === report && row.action === "report.submit");
    if (!sent || chain.size === 1) return null;
    let decision = null;
    for (const row of vouched.rows)
      if (
        row.object !== report &&
        chain.has(row.object) &&
        row.number < sent.number &&
        isCompleteReport(row.before) !== isCompleteReport(row.after) &&
        (decision === null || row.number > decision.number)
      )
        decision = row;
    if (decision === null || !isCompleteReport(decision.after)) return { time: null, amounts: new Map() };
    return listAccepted(decision.after);
  }
  function listAccepted(record) {
    const amounts = new Map();
    for (const one of record.inclusions) {
      const amount = acceptedOf(one);
      if (!amount.isZero) amounts.set(one.batch_id, amount);
    }
    return { time: Date.parse(record.effective_at), amounts };
  }
  function checkLedgers(contents, vouched, faults) {
    if (!contents.hasStories) return;
    const { entries, deficits, batches } = contents,
      stories = groupStories(contents),
      firstOf = new Map(),
      on = new Map(),
      by = new Map(),
      undoing = new Map();
    for (const [key, story] of stories) firstOf.set(Number(key.split("/")[1]), story[0]);
    for (const entry of entries) {
      gather(on, entry.batch, () => []).push(entry);
      gather(by, entry.run ?? 0, () => []).push(entry);
      if (entry.reverses !== null) gather(undoing, entry.reverses, () => []).push(entry);
    }
    const numbers = new Set(entries.map((one) => one.entry)),
      short = new Set(deficits.map((one) => one.entry));
    const listOn = (number) => on.get(number) ?? [];
    for (const entry of entries)
      for (const sentence of checkEntry(entry)) faults.add("entries.csv", `Entry ${entry.entry}: ${sentence}`);
    for (const deficit of deficits)
      for (const sentence of checkDeficit(deficit)) faults.add("deficits.csv", `Row ${deficit.entry} ${sentence}`);

    function* checkEntry(entry) {
      const batch = batches.get(entry.batch),
        poster = batches.get(entry.posted_by ?? 0),
        first = firstOf.get(entry.run ?? 0);
      if (!KINDS.includes(entry.kind)) {
        yield `${entry.kind} is no kind of entry.`;
        return;
      }
      if (!entry.amount.isZero && entry.amount.c > 0n !== (GIVES.has(entry.kind) === (entry.reverses === null)))
        yield "Its amount has the wrong sign for its kind.";
      if (OF_REPORTS.has(entry.kind) && entry.report === null) yield "It is of a report, and names none.";
      if ((entry.node !== null) !== DRAWS.has(entry.kind)) yield "A node withdraws, and no other entry names one.";
      if (batch && batch.ledger !== entry.ledger) yield "It is on a batch of another ledger.";
      if (!batch && !stories.has(storyKey(entry.ledger, entry.run)) && entry.node === null)
        yield "It is neither on a batch nor by a run of this bundle.";
      if ((entry.kind === "credit" || DRAWS.has(entry.kind)) && entry.report !== null)
        yield "No report posts an entry of this kind.";
      if (entry.kind === "credit" && batch) {
        if (entry.run !== batch.run || entry.posted_by !== batch.batch) yield "It credits a batch, and is of another.";
      } else if (DRAWS.has(entry.kind) && poster && poster.run !== entry.run)
        yield "Its batch withdrew for another run than its own.";
      let ends = null;
      if (batch && batch.run === null && entry.kind === "credit") ends = batch.end_time;
      else if (batch && first && entry.report === null && !batch.by_event && !first.by_event)
        ends = Math.max(batch.end_time, first.end_time);
      if (ends !== null && entry.effective_at !== ends)
        yield "It takes effect at another time than the end of its slots.";
      if (entry.reverses !== null) {
        if (!numbers.has(entry.reverses)) yield "It reverses one that is not here.";
        return;
      }
      if (!poster) return;
      const undone = (undoing.get(entry.entry) ?? []).map((one) => describePosting(one, -1n));
      if (poster.deleted_at === null && undone.length) yield "It is reversed, and its batch was not deleted.";
      else if (poster.deleted_at !== null && (undone.length !== 1 || undone[0] !== describePosting(entry)))
        yield "It is not reversed as it was posted, and its batch was deleted.";
    }
    function* checkDeficit(deficit) {
      const story = stories.get(storyKey(deficit.ledger, deficit.run));
      if (!story) yield "is of a run that has no batch here.";
      else if (!story[0].by_event && deficit.effective_at < story[0].end_time)
        yield "takes effect before the end of its run's slot.";
      if (deficit.reverses !== null && !short.has(deficit.reverses)) yield "reverses one that is not here.";
      const made = listOn(deficit.posted_by).find((one) => one.kind === "credit");
      if (made && deficit.reverses === null && deficit.report === null && deficit.posted_at !== made.posted_at)
        yield "was posted at another time than its batch.";
    }

    const chain = listRestated(contents.report, vouched);
    for (const [number, batch] of batches) {
      const credited = listOn(number).filter((one) => one.reverses === null && one.kind === "credit");
      if (credited.length !== 1 || !equal(credited[0].amount, batch.credited))
        faults.add(
          "batches.csv",
          `Batch ${batch.batch_id} says that it was credited with ${batch.credited}, and the ledger says otherwise.`,
        );
      for (const time of ["effective_at", "posted_at"]) {
        let held = ZERO;
        const ordered = [...listOn(number)].sort((a, b) => a[time] - b[time]);
        ordered.some((entry, at) => {
          held = exactAdd(held, entry.amount);
          const isLast = at + 1 === ordered.length || ordered[at + 1][time] !== entry[time];
          if (isLast && held.c < 0n)
            faults.add(
              "entries.csv",
              `Batch ${batch.batch_id} has a balance of ${held} at ${writeMoment(entry[time])}.`,
            );
          return isLast && held.c < 0n;
        });
      }
      const included = contents.reported.get(batch.batch_id);
      if (!included) continue;
      const there = exactTotal(
        listOn(number)
          .filter(
            (one) =>
              !OF_REPORTS.has(one.kind) ||
              !chain.has(idOf("report", contents.manifest.project_number, one.report ?? 0)),
          )
          .map((one) => one.amount),
      );
      if (compare(parseDec(included.amount), there) > 0)
        faults.add(
          "report.json",
          `It includes ${included.amount} of batch ${batch.batch_id}, which has ${there} left.`,
        );
    }
    const accepted = readAccepted(contents.report.id, chain, vouched);
    if (accepted !== null)
      for (const [number, batch] of batches) {
        const posted = new Map(),
          ofBatch = accepted.amounts.get(batch.batch_id);
        if (ofBatch) posted.set(accepted.time, ZERO);
        for (const entry of listOn(number)) {
          if (entry.kind !== "report" && entry.kind !== "restate") continue;
          if (!chain.has(idOf("report", contents.manifest.project_number, entry.report ?? 0))) continue;
          posted.set(entry.effective_at, exactAdd(posted.get(entry.effective_at) ?? ZERO, negate(entry.amount)));
        }
        for (const [time, amount] of posted) {
          const wanted = (time === accepted.time && ofBatch) || ZERO;
          if (!equal(amount, wanted))
            faults.add(
              "entries.csv",
              `The reports of the chain have posted ${amount} of batch ${batch.batch_id} for one time, and ${wanted} was accepted.`,
            );
        }
      }
    for (const sentence of findUnequalSuccessions(vouched.rows)) faults.add("audit/rows.jsonl", sentence);
    const chains = listHandedOver(vouched),
      handed = new Map();
    for (const entry of chains.size ? entries : []) {
      const name = chains.get(idOf("report", contents.manifest.project_number, entry.report ?? 0));
      if (!name || !OF_REPORTS.has(entry.kind)) continue;
      const key = `${name}, batch ${entry.batch}, ${writeMoment(entry.effective_at)}`;
      handed.set(key, exactAdd(handed.get(key) ?? ZERO, negate(entry.amount)));
    }
    for (const [key, amount] of handed)
      if (!amount.isZero)
        faults.add("entries.csv", `A chain that handed everything over has posted ${amount}: ${key}.`);
    const times = new Map();
    for (const entry of entries) {
      const poster = batches.get(entry.posted_by ?? 0);
      if (!poster || poster.generation === null || entry.report !== null) continue;
      if (entry.reverses !== null) {
        if (poster.deleted_at !== null && entry.posted_at !== poster.deleted_at)
          faults.add("entries.csv", `Entry ${entry.entry} was posted at another time than the deletion.`);
        continue;
      }
      const at = gather(times, poster.generation, () => entry.posted_at);
      if (entry.posted_at !== at || at < poster.created_at)
        faults.add("entries.csv", `Entry ${entry.entry} was posted at another time than its generation.`);
    }
    for (const [key, story] of stories) {
      const [ledger, run] = key.split("/").map(Number),
        newest = newestOf(story),
        sum = newest?.total ?? ZERO;
      const posted = exactTotal([
        ...(by.get(run) ?? [])
          .filter((one) => one.ledger === ledger && GENERATED.has(one.kind))
          .map((one) => one.amount),
        ...deficits.filter((one) => one.ledger === ledger && one.run === run).map((one) => negate(one.amount)),
      ]);
      if (!equal(posted, sum))
        faults.add(
          "batches.csv",
          `Batch ${(newest ?? story[story.length - 1]).batch_id}: its run comes to ${sum}, and has posted ${posted}.`,
        );
      for (const batch of story) {
        const own = listOn(batch.batch).find((one) => one.kind === "credit"),
          line = contents.lineage.get(batch.batch);
        if (!own || !line) continue;
        const byThen = (by.get(batch.run) ?? []).filter((one) => one.node !== null && one.posted_at <= own.posted_at);
        const sums = (amounts) => {
          const parts = new Map();
          for (const [name, amount] of amounts) parts.set(name, exactAdd(parts.get(name) ?? ZERO, amount));
          return [...parts]
            .filter(([, amount]) => !amount.isZero)
            .map(([name, amount]) => `${name}=${amount}`)
            .sort()
            .join("|");
        };
        if (
          sums(line.draws.map((one) => [`${one.node}/${one.source}`, parseDec(one.amount)])) !==
          sums(byThen.map((one) => [`${one.node}/${one.batch}`, negate(one.amount)]))
        ) {
          faults.add(
            "entries.csv",
            `Batch ${batch.batch_id} was calculated from other withdrawals than its run had made by then.`,
          );
        }
      }
    }
  }

  /** What was carried along with each withdrawal is what the source came to when the batch was made. */
  function checkDrawn(contents, faults) {
    if (!contents.hasStories) return;
    const stories = groupStories(contents),
      ofRun = new Map();
    for (const batch of contents.batches.values())
      if (batch.run !== null) gather(ofRun, batch.run, () => []).push(batch);
    const fell = new Set(
      [...contents.entries.filter((one) => one.kind === "fall"), ...contents.deficits].map((one) =>
        storyKey(one.ledger, one.run),
      ),
    );
    const listAt = (story, batch) =>
      story.filter((one) => one.batch < batch.batch && (one.deleted_at === null || one.deleted_at > batch.created_at));
    const newestAt = (source, batch) =>
      source.run === null
        ? source
        : (listAt(stories.get(storyKey(source.ledger, source.run)), batch).reduce(
            (a, b) => (a && a.batch > b.batch ? a : b),
            null,
          ) ?? source);
    const inUnit = (value, unit) => {
      if (!value || !value.is_output || value.value === null) return "";
      try {
        return convert(value.value, parseUnit(value.unit ?? "1"), parseUnit(unit)).toString();
      } catch (error) {
        if (error instanceof Unreadable) return "";
        throw error;
      }
    };
    function wereSo(batch, read, source) {
      if (!fell.has(storyKey(source.ledger, source.run))) return false;
      for (const one of listAt(ofRun.get(batch.run ?? 0) ?? [], batch).sort((a, b) => b.batch - a.batch)) {
        const draws = (contents.lineage.get(one.batch)?.draws ?? []).filter(
            (drawn) => drawn.node === read.node && drawn.source === read.source,
          ),
          last = draws[draws.length - 1];
        if (last)
          return String(last.attributes) === String(read.attributes) && String(last.units) === String(read.units);
      }
      return false;
    }
    function* explainDraw(batch, read) {
      const node = contents.documents.get(batch.model ?? 0)?.bySlug.get(read.node),
        source = contents.batches.get(read.source);
      if (!source) return;
      if (node?.kind !== "upstream") {
        yield `${read.node} is no node that withdraws.`;
        return;
      }
      const { body } = node,
        slugs = [...body.attributes.keys()];
      if (source.batch >= batch.batch) yield "the source was made after it.";
      if (!body.isManual) {
        if (source.start_time >= batch.end_time && !batch.by_event)
          yield "the source's slot begins after its own has ended.";
        for (const dimension of body.match)
          if (partitionOf(batch)[dimension] !== partitionOf(source)[dimension])
            yield `its ${dimension} is another than that of the source.`;
      }
      if (read.attributes.length !== slugs.length || read.units.length !== slugs.length) {
        yield "its node names another number of attributes.";
        return;
      }
      const values = contents.values.get(newestAt(source, batch).batch) ?? new Map(),
        now = slugs.map((slug, at) => inUnit(values.get(slug), read.units[at]));
      if (String(now) !== String(read.attributes) && !wereSo(batch, read, source))
        yield `it says ${read.attributes}, and the source has ${now}.`;
      const resting = source.run === null ? new Map() : values,
        primary = [...resting.values()].find((one) => one.is_primary);
      const expected = [primary, ...slugs.map((slug) => resting.get(slug))].flatMap((value) => {
        if (value && value.is_output && value.contributions === null) return SOURCES.map(() => null);
        const known = value && value.is_output ? value.contributions : null;
        return known?.length ? known : SOURCES.map(() => "0");
      });
      if (JSON.stringify(read.contributions ?? []) !== JSON.stringify(expected))
        yield "its contributions are not those of the source.";
    }
    function isTakenSo(batch, read, place) {
      const model = contents.documents.get(batch.model),
        line = contents.uncertainties.get(batch.batch),
        node = model?.bySlug.get(read.node);
      if (!contents.isUncertain || !model?.uncertainty || !line?.draws[place] || node?.kind !== "upstream") return true;
      const source = newestAt(contents.batches.get(read.source), batch),
        values = contents.values.get(source.batch) ?? new Map(),
        primary = [...values.values()].find((one) => one.is_primary);
      const carried = (value) => {
        const output = value && contents.uncertainties.get(source.batch)?.outputs[value.node];
        return output ? readComponents(output) : null;
      };
      const write = (one, apply) =>
        one ? writeComponents(apply(one.components), one.correlations) : { components: [], correlations: [] };
      const isOfRun = source.run !== null && !source.total.isZero,
        slopeTo = (value, unit) => findSlope(parseUnit(value.unit ?? "1"), unit);
      const scaled = (components, slope) => (equal(slope, ONE) ? components : scaleComponents(components, slope));
      const expected = [
        write(isOfRun ? carried(primary) : null, (components) =>
          scaled(
            mapComponents(components, (change) => divide(multiply(change, parseDec(read.amount)), source.total)),
            slopeTo(primary, node.unit),
          ),
        ),
        ...[...node.body.attributes.keys()].map((slug, at) =>
          write(carried(values.get(slug)), (components) =>
            scaled(components, slopeTo(values.get(slug), parseUnit(read.units[at]))),
          ),
        ),
      ];
      return writeJson(expected) === writeJson(line.draws[place]);
    }
    for (const [number, line] of contents.lineage) {
      const batch = contents.batches.get(number);
      if (!batch) continue;
      for (const [place, read] of line.draws.entries()) {
        for (const sentence of explainDraw(batch, read))
          faults.add("lineage.jsonl", `Batch ${batch.batch_id} withdrew from batch ${read.source}: ${sentence}`);
        if (contents.batches.has(read.source) && !isTakenSo(batch, read, place))
          faults.add(
            "uncertainties.jsonl",
            `Batch ${batch.batch_id} withdrew from batch ${read.source}: what it took of the uncertainty is not that part of it.`,
          );
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // The proved rows of the audit log, each record against its newest row.
  // ---------------------------------------------------------------------------------------------------------

  /** Whether a value is that of the log; a field that the log does not have is nothing. */
  function isLogged(value, logged = null) {
    if (!(value instanceof Dec)) return value === logged;
    return (typeof logged === "string" || typeof logged === "number") && isNumberOf(String(logged), value);
  }
  function isNumberOf(text, value) {
    try {
      return equal(parseDec(text), value);
    } catch {
      return false;
    }
  }
  const differing = (stated, logged) => Object.keys(stated).filter((name) => !isLogged(stated[name], logged[name]));
  const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  function compareWithLog(contents, vouched, faults) {
    const { rows } = vouched,
      nounOf = (row) => row.action.split(".")[0],
      { report, manifest } = contents,
      project = manifest.project_number;
    const rowsOf = (name, noun) => rows.filter((row) => row.object === name && nounOf(row) === noun),
      doing = (action) => rows.filter((row) => row.action === action);
    const lastOf = (some) => some[some.length - 1];
    compareReport();
    compareEvidence();
    for (const model of contents.models.values()) {
      const row = lastOf(rowsOf(model.model_id, "model").filter((one) => isRecord(one.after) && "sha256" in one.after));
      if (!row) faults.add("models.csv", `No row of the log is about the model ${model.model_id}.`);
      else
        for (const name of differing({ sha256: model.sha256, version: model.version, name: model.name }, row.after))
          faults.add("models.csv", `The ${name} of model ${model.model_id} is another than the log says.`);
    }
    if (manifest.format >= 3) {
      const logged = rows.filter((row) => /^audit_key\.(rotate|begin|revoke)$/.test(row.action)).map((row) => row.after);
      if (writeJson(logged) !== writeJson(readKeyRecords(contents.parts)))
        faults.add("audit/keys.json", "Its statements are others than those of the audit log.");
    }
    if (!contents.hasStories) return;
    compareGenerations();
    compareRecord("bundle.json", manifest.project_id, "project", {
      name: manifest.project_name,
      time_zone: manifest.time_zone,
    });
    for (const one of contents.ledgers.values()) {
      if (one.ledger_id !== idOf("ledger", project, one.ledger))
        faults.add("ledgers.csv", `Ledger ${one.ledger} of the project has another id.`);
      compareRecord("ledgers.csv", one.ledger_id, "ledger", {
        name: one.name,
        unit: one.unit || "dimensionless",
        scale: one.scale,
        rounding: one.rounding,
        output: one.output,
      });
    }
    for (const one of contents.statics.values()) {
      compareRecord("static_inputs.csv", String(one.static_input), "static_input", {
        slug: one.slug,
        value: one.value,
        unit: one.unit || null,
        effective_from: writeMoment(one.effective_from),
      });
    }
    compareEventTypes();
    for (const batch of contents.batches.values()) if (batch.model === null) compareInstrument(batch);
    compareCorrections();
    compareRules();
    if (contents.isSealed) compareClosure();
    if (contents.isUncertain && contents.stated) compareStatements();
    if (contents.methodology) compareMethodology(contents.methodology);

    /** The methodology, and the batches of versions that it does not name. */
    function compareMethodology(stated) {
      const addFault = (sentence) => faults.add("methodology.json", sentence),
        { other_batches: others, ...own } = stated,
        logged = lastOf(doing("methodology.create").filter((row) => row.object === String(report.methodology_id)))?.after;
      if (!logged) addFault(`No row of the log is about the methodology ${report.methodology_id}.`);
      else {
        const models = logged.models.map(({ id, name, version, version_ids = [], versions = [] }) => {
          return { id, name, version, version_ids, versions };
        });
        const { id, name, other_versions = "refuse", report_type, version } = logged,
          ledgers = (logged.ledgers ?? []).map(({ role, sign, unit }) => {
            return { role, sign, unit };
          }),
          several = ledgers.length > 0 && { ledgers };
        if (writeJson(own) !== writeJson({ id, models, name, other_versions, report_type, version, ...several }))
          addFault(`The methodology ${stated.id} is another than the log says.`);
      }
      const named = new Set(stated.models.flatMap((model) => model.version_ids)),
        isExact = stated.models.length > 0 && stated.models.every((model) => model.versions.length > 0),
        byId = new Map([...contents.batches.values()].map((batch) => [batch.batch_id, batch])),
        taken = new Set(report.inclusions.map((one) => one.batch_id)),
        isOther = (name) => !named.has(contents.models.get(byId.get(name)?.model)?.model_id);
      for (const name of others)
        if (!taken.has(name) || !isOther(name))
          addFault(`Batch ${name} is not one that the report includes, made by a version that it does not name.`);
      for (const name of taken)
        if (isExact && isOther(name) && !others.includes(name))
          addFault(`Batch ${name} was made by a version that it does not name, and is not among the others.`);
      const ofReport = rowsOf(report.id, "report").filter((one) => isRecord(one.after) && "inclusions" in one.after),
        count = lastOf(ofReport)?.after.other_version_batch_count ?? 0,
        sorted = [...new Set(others)].sort();
      if (others.length !== count || writeJson(sorted) !== writeJson(others))
        addFault(`It has ${others.length} batches of other versions, and the log says ${count}.`);
      const isSent = ofReport.some((row) => row.action === "report.submit");
      if (others.length && isSent && stated.other_versions === "refuse")
        addFault("The report was submitted with batches of versions that are refused.");
    }

    /** Statements of types and static inputs, and certificates, as the log had them before a generation ended. */
    function compareStatements() {
      const ends = new Map(doing("batch_generation.finish").flatMap((row) => row.after.batches.map((name) => [name, row.number])));
      const asking = [...contents.uncertainties.keys()]
        .map((batch) => [batch, ends.get(contents.batches.get(batch)?.batch_id)])
        .filter(([, end]) => end !== undefined);
      const newest = (some, end) => {
        const after = lastOf(some.filter((row) => row.number < end))?.after;
        return isRecord(after) ? after : null;
      };
      const readLogged = (fields) => {
        if (!isRecord(fields)) return null;
        const read = (name, value) =>
          isRecord(value)
            ? new Map(Object.entries(value).map(([part, one]) => [part, read(part, one)]))
            : Object.hasOwn(STATED_TEXTS, name)
              ? value
              : parseDec(String(value));
        return buildStatement(
          new Map(
            Object.entries(fields)
              .filter(([, value]) => value !== null)
              .map(([name, value]) => [name, read(name, value)]),
          ),
        );
      };
      const isSame = (one, other) => (one?.key ?? null) === (other?.key ?? null);
      const ofType = groupBy(
        rows.filter((row) => nounOf(row) === "event_type" && isRecord(row.after)),
        (row) => row.after.slug,
      );
      for (const [eventType, points] of contents.points)
        for (const [batch, end] of asking) {
          const types = newest(ofType.get(eventType) ?? [], end)?.data_point_types ?? [];
          for (const { data_point: point } of points) {
            const logged = types.find((one) => one.slug === point);
            if (logged && !isSame(contents.stated.find("type", eventType, point, batch), readLogged(logged.uncertainty)))
              faults.add("statements.csv", `What ${eventType}.${point} states for batch ${batch} is not what the log says.`);
          }
        }
      for (const [number, { slug }] of contents.statics) {
        const after = lastOf(rowsOf(String(number), "static_input").filter((row) => isRecord(row.after)))?.after,
          stated = contents.stated.find("static_input", number, slug);
        if (after && stated && !isSame(stated, readLogged(after.uncertainty)))
          faults.add("statements.csv", `What static input ${number} states is not what the log says.`);
      }
      const addFault = (sentence) => faults.add("calibrations.csv", sentence),
        named = groupBy([...contents.stated.certificates.values()].flat(), ({ row }) => row.calibration_id),
        logged = groupBy(
          rows.filter((row) => nounOf(row) === "calibration"),
          (row) => row.object,
        );
      for (const name of new Set([...named.keys(), ...logged.keys()])) {
        if (!logged.has(name)) addFault(`No row of the log is about the calibration ${name}.`);
        else
          for (const [batch, end] of asking) {
            const then = newest(logged.get(name), end),
              { row } = (named.get(name) ?? []).find(({ batches }) => batches.has(batch)) ?? {};
            if (Boolean(then) !== Boolean(row)) addFault(`Calibration ${name} was entered for batch ${batch}, or was not.`);
            else if (then)
              for (const field of differing(fieldsOf(row), { ...then, ...namesOf(row, then), statement: readLogged(then.uncertainty)?.key }))
                addFault(`The ${field} of calibration ${name} is not what the log says.`);
          }
      }
      function fieldsOf(row) {
        const textOf = (moment) => (moment === null ? null : writeMoment(moment));
        return {
          name: row.name,
          data_point_type: row.data_point,
          valid_from: textOf(row.valid_from),
          valid_until: textOf(row.valid_until),
          asset: row.asset,
          event_type: row.event_type,
          statement: readUncertaintyStatement(row.statement).key,
        };
      }
      /** What names.csv calls the meter and the event type; a meter whose events are not in the bundle has no name there. */
      function namesOf(row, then) {
        const nameOf = (kind, id) => contents.names.get(`${kind}/${numberOf(kind, id, project)}`);
        return {
          asset: then.asset_id === null ? null : (nameOf("asset", then.asset_id) ?? row.asset),
          event_type: nameOf("event_type", then.event_type_id) ?? row.event_type,
        };
      }
    }
    /** Names, meters, keys of static inputs, outages and dismissed findings. */
    function compareClosure() {
      const isUntold = (kind) => kind === "asset" && doing("asset.import").length > 0,
        nameOf = (kind, id) => (id ? (contents.names.get(`${kind}/${numberOf(kind, id, project)}`) ?? null) : null),
        textOf = (moment) => (moment === null ? null : writeMoment(moment));
      for (const { kind, number, name } of contents.rows["names.csv"]) {
        if (isUntold(kind)) continue;
        if (!["event_type", "feedstock", "asset", "location"].includes(kind)) faults.add("names.csv", `${kind} is no kind.`);
        else compareRecord("names.csv", idOf(kind, project, number), kind, { [kind === "event_type" ? "slug" : "name"]: name });
      }
      for (const meter of contents.meters.values()) {
        if (isUntold(meter.kind)) continue;
        const logged = [...newestOf(meter.kind).values()].filter((after) => after.name === meter.name),
          stated = { in_service_from: textOf(meter.in_service_from), in_service_until: textOf(meter.in_service_until) };
        if (logged.length !== 1) faults.add("meters.csv", `No row of the log is about the ${meter.kind} ${meter.name}.`);
        else
          for (const field of differing(stated, logged[0]))
            faults.add("meters.csv", `The ${field} of ${meter.name} is another than the log says.`);
      }
      for (const one of contents.statics.values()) {
        const after = lastOf(rowsOf(String(one.static_input), "static_input"))?.after ?? {};
        for (const kind of ["asset", "feedstock", "location"])
          if (one[kind] !== nameOf(kind, after[`${kind}_id`]))
            faults.add("static_inputs.csv", `Static input ${one.static_input} is of another ${kind} than the log says.`);
      }
      for (const one of contents.outages) {
        const after = lastOf(rowsOf(String(one.outage), "outage"))?.after,
          addFault = (sentence) => faults.add("outages.csv", `Outage ${one.outage} ${sentence}`);
        if (!isRecord(after)) {
          addFault("is in no row of the log, or was removed.");
          continue;
        }
        const stated = {
          reason: one.reason,
          start_time: textOf(one.start_time),
          end_time: textOf(one.end_time),
          evidence_url: one.evidence_url,
        };
        for (const field of differing(stated, after)) addFault(`has another ${field} than the log says.`);
        for (const kind of ["event_type", "asset", "location"])
          if (one[kind] !== nameOf(kind, after[`${kind}_id`])) addFault(`has another ${kind} than the log says.`);
        const touches = ({ start_time, end_time }) =>
          one.start_time < end_time && (one.end_time === null || start_time < one.end_time);
        if (![...contents.batches.values()].some(touches)) addFault("is in no slot of a batch.");
      }
      for (const one of contents.findings) {
        const isDismissal = ({ at, user_id, action, object, after }) =>
          at === textOf(one.dismissed_at) &&
          user_id === one.dismissed_by &&
          (action === "rule_result.bulk_dismiss"
            ? after.result_ids.includes(one.finding_id) && after.reason === one.reason
            : action === "rule_result.dismiss" &&
              object === one.finding_id &&
              after.dismissal_reason === one.reason &&
              after.rule_version === one.rule_version &&
              after.entered_value === one.entered_value &&
              [undefined, null, idOf("event", project, one.event)].includes(after.event_id) &&
              [undefined, null, one.data_point].includes(after.data_point_slug) &&
              [undefined, null, idOf("rule", project, one.rule)].includes(after.rule_id));
        if (one.finding_id !== idOf("data_point_result", project, one.finding))
          faults.add("findings.csv", `Finding ${one.finding} has another id.`);
        if (!rows.some(isDismissal))
          faults.add("findings.csv", `No row of the log dismissed finding ${one.finding} so.`);
        if (!hasEvent(contents, one.event))
          faults.add("findings.csv", `Finding ${one.finding} is of event ${one.event}, which is not there.`);
      }
      for (const kind of ["asset", "location"]) {
        if (isUntold(kind)) continue;
        for (const { name, in_service_from, in_service_until } of newestOf(kind).values())
          if ((in_service_from || in_service_until) && !contents.meters.has(`${kind}/${name}`))
            faults.add("meters.csv", `The log says when ${name} is in service, and it is not there.`);
      }
      const outages = new Set(contents.outages.map((one) => String(one.outage)));
      for (const name of newestOf("outage").keys())
        if (!outages.has(name)) faults.add("outages.csv", `The log has outage ${name}, and it is not there.`);
      const findings = new Set(contents.findings.map((one) => one.finding_id));
      for (const { object } of doing("rule_result.dismiss"))
        if (!findings.has(object))
          faults.add("findings.csv", `The log says that ${object} was dismissed, and it is not there.`);
    }
    /** The records of a kind, each as its newest row has it. */
    function newestOf(kind) {
      const newest = new Map(rows.filter((row) => nounOf(row) === kind).map((row) => [row.object, row.after]));
      return new Map([...newest].filter(([, after]) => isRecord(after)));
    }
    function compareRecord(part, name, noun, stated) {
      const row = lastOf(rowsOf(name, noun).filter((one) => isRecord(one.after)));
      if (!row) faults.add(part, `No row of the log is about the ${noun} ${name}.`);
      else
        for (const field of differing(stated, row.after))
          faults.add(part, `The ${field} of the ${noun} ${name} is another than the log says.`);
    }
    function compareReport() {
      const row = lastOf(rowsOf(report.id, "report").filter((one) => isRecord(one.after) && "inclusions" in one.after));
      if (!row) {
        faults.add("audit/rows.jsonl", `No row of the log is about the report ${report.id}.`);
        return;
      }
      const list = (some) =>
        some
          .map((one) =>
            [one.batch_id, parseDec(String(one.amount)), one.unit, one.tracking_id, one.start_time, one.end_time].join(
              "|",
            ),
          )
          .sort()
          .join("\n");
      if (
        list(row.after.inclusions) !== list(report.inclusions) ||
        !isNumberOf(String(row.after.amount), parseDec(report.amount))
      )
        faults.add("report.json", `The report includes something else than row ${row.number} of the log says.`);
      const stated = Object.fromEntries(
        [
          "project_id",
          "name",
          "report_type",
          "methodology_id",
          "ledger_id",
          "start_time",
          "end_time",
          "effective_at",
          "supersedes",
        ].map((name) => [name, report[name]]),
      );
      const owed = row.after.liability ?? null;
      if (
        (owed === null) !== !("liability" in report) ||
        (owed !== null && !isNumberOf(String(owed), parseDec(report.liability))) ||
        (row.after.liability_reason ?? null) !== (report.liability_reason ?? null)
      )
        faults.add("report.json", `The report owes something else than row ${row.number} of the log says.`);
      const counting = (some) =>
        writeJson(
          (some ?? []).map((one) => [
            one.role,
            one.ledger_id,
            one.sign,
            one.unit,
            `${parseDec(String(one.amount))}`,
            `${parseDec(String(one.counted))}`,
          ]),
        );
      if (counting(report.ledgers) !== counting(row.after.ledgers))
        faults.add("report.json", `Its ledgers are others than row ${row.number} of the log says.`);
      if (writeJson(report.predecessors ?? []) !== writeJson(row.after.predecessors ?? []))
        faults.add("report.json", `It takes the place of others than row ${row.number} of the log says.`);
      for (const name of differing(stated, row.after))
        faults.add("report.json", `Its ${name} is another than row ${row.number} of the log says.`);
    }
    function compareEvidence() {
      const there = new Map(
        contents.evidence.map((row) => [`evidence ${row.evidence} of ${idOf("event", project, row.event)}`, row]),
      );
      for (const [name, row] of there) {
        const [logged, more] = rowsOf(name, "evidence").filter((one) => one.action === "evidence.create");
        if (!logged || more) {
          faults.add("evidence.csv", `No row of the log says that ${row.name} was attached.`);
          continue;
        }
        const { type, name: title, content_type, size, sha256: digest } = row;
        const fields = differing({ type, name: title, content_type, size, sha256: digest }, logged.after);
        if (row.url !== (row.type === "file" ? null : logged.after.url)) fields.push("url");
        if (writeMoment(row.created_at) !== logged.at) fields.push("created_at");
        for (const field of fields)
          faults.add("evidence.csv", `The ${field} of ${row.name} is another than the log says.`);
      }
      for (const row of doing("evidence.create"))
        if (!there.has(row.object))
          faults.add("evidence.csv", `The log says that ${row.object} was attached, and it is not there.`);
    }
    function compareGenerations() {
      const started = new Map(
        ["batch_generation.start", "batch.update_inputs"].flatMap(doing).map((row) => [row.after.id, row]),
      );
      const finished = new Map(
        doing("batch_generation.finish").flatMap((row) => row.after.batches.map((name) => [name, row])),
      );
      const deleted = new Map(
        doing("batch_deletion.finish").flatMap((row) => row.after.deleted.map((name) => [name, row])),
      );
      const sent = rowsOf(report.id, "report").find(
          (row) => row.action === "report.submit" || SUCCEEDING.has(row.action),
        ),
        generations = new Map();
      for (const batch of contents.batches.values()) {
        if (batch.generation !== null) {
          const start = started.get(batch.generation),
            finish = finished.get(batch.batch_id);
          if (!start || !finish)
            faults.add(
              "audit/rows.jsonl",
              `No row of the log is about the ${start ? "end" : "start"} of the generation of ${batch.batch_id}.`,
            );
          else if (gather(generations, finish.number, () => batch.generation) !== batch.generation)
            faults.add("batches.csv", `Batch ${batch.batch_id} was made by another generation, as the log says.`);
          else if (
            finish.at !== writeMoment(batch.created_at) ||
            start.request_id !== finish.request_id ||
            start.number >= finish.number
          )
            faults.add("batches.csv", `Batch ${batch.batch_id} was made at another time, as the log says.`);
        }
        const row = deleted.get(batch.batch_id);
        if (batch.deleted_at === null && row && !(sent && sent.number < row.number))
          faults.add("batches.csv", `Batch ${batch.batch_id} was deleted, as the log says, and does not say so.`);
        if (batch.deleted_at !== null && (!row || row.at > writeMoment(batch.deleted_at)))
          faults.add("batches.csv", `Batch ${batch.batch_id} says that it was deleted, and the log does not.`);
      }
    }
    function compareEventTypes() {
      const newest = new Map(
        rows
          .filter((row) => nounOf(row) === "event_type" && row.after !== null)
          .map((row) => [row.after.slug, row.after]),
      );
      for (const [eventType, points] of contents.points) {
        const logged =
          newest.get(eventType) && new Map(newest.get(eventType).data_point_types.map((one) => [one.slug, one]));
        if (!logged) {
          faults.add("event_types.csv", `No row of the log is about the event type ${eventType}.`);
          continue;
        }
        if (logged.size !== points.length || points.some((point) => !logged.has(point.data_point))) {
          faults.add("event_types.csv", `${eventType} has other data points than the log says.`);
          continue;
        }
        for (const point of points)
          for (const name of differing(
            { unit: point.unit, value_type: point.value_type },
            logged.get(point.data_point),
          ))
            faults.add("event_types.csv", `The ${name} of ${eventType}.${point.data_point} is not that of the log.`);
      }
    }
    function compareInstrument(batch) {
      const row = rowsOf(batch.batch_id, "instrument")[0],
        zone = manifest.time_zone,
        ledger = contents.ledgers.get(batch.ledger);
      if (!row) {
        faults.add("audit/rows.jsonl", `No row of the log is about the instrument ${batch.batch_id}.`);
        return;
      }
      const { after } = row,
        addFault = (sentence) => faults.add("batches.csv", `Instrument ${batch.batch_id} ${sentence}`),
        isAmount = (value) => value !== null && isNumberOf(String(after.amount), value);
      if (!isAmount(batch.total) || !isAmount(batch.credited) || ledger.ledger_id !== after.ledger_id)
        addFault("has another amount or ledger than the log says.");
      if (writeMoment(batch.created_at) !== row.at || ![after.external_id, after.name].includes(batch.tracking_id))
        addFault("has another name or time than the log says.");
      const day = after.issued_on ?? new Date(wallAt(batch.created_at, zone)).toISOString().slice(0, 10),
        slot = findSlot("daily", batch.start_time, zone);
      const isPlaced =
        slot.start === batch.start_time && slot.end === batch.end_time && labelSlot("daily", slot, zone) === day;
      if (
        !isPlaced ||
        batch.by_event ||
        batch.event ||
        batch.run_tracking_id ||
        batch.feedstock ||
        batch.asset ||
        batch.share_places
      )
        addFault("is of another day or partition than the log says.");
      const units = { mass: "t", energy_intensity: "g{CO2e}/MJ", lower_heating_value: "MJ/kg" };
      for (const value of (contents.values.get(batch.batch) ?? new Map()).values()) {
        const logged = after[value.node] ?? null,
          isArray = [value.whole, value.elements, value.contributions, value.elements_sha256, value.element_count].some(
            (one) => one !== null,
          );
        if (
          logged === null ||
          value.value === null ||
          !isNumberOf(String(logged), value.value) ||
          value.unit !== (units[value.node] ?? after.unit) ||
          isArray
        )
          faults.add("node_values.csv", `${value.node} of instrument ${batch.batch_id} is not what the log says.`);
        else if (!value.is_output || value.is_primary !== (value.node === "amount"))
          faults.add("node_values.csv", `${value.node} of instrument ${batch.batch_id} has another purpose.`);
      }
    }
    function compareCorrections() {
      const all = [...contents.corrections.values()];
      for (const row of all) {
        const at = writeMoment(row.created_at);
        if (
          row.origin === "manual" &&
          !rows.some((one) => one.at === at && one.user_id === row.user && isCorrectionOf(one, row))
        )
          faults.add("corrections.csv", `Correction ${row.correction} is not one that the log has.`);
      }
      const known = new Set(
        [...contents.events.values()]
          .flatMap((file) => [...file.numbers])
          .map((event) => idOf("event", project, event)),
      );
      for (const row of doing("data_point.correct")) {
        const event = row.after.data_point.event.id,
          isThere = all.some(
            (one) => writeMoment(one.created_at) === row.at && idOf("event", project, one.event) === event,
          );
        if (known.has(event) && !isThere)
          faults.add("corrections.csv", `Row ${row.number} of the log is about one that is not there.`);
      }
    }
    function isCorrectionOf(row, correction) {
      const event = idOf("event", project, correction.event),
        { before, after } = row;
      const is = (logged, written) => {
        if (logged === null || logged === undefined || written === null)
          return (logged ?? null) === null && written === null;
        if (typeof logged === "boolean") return written === String(logged);
        if (String(logged) === written) return true;
        try {
          return isNumberOf(String(logged), parseDec(written));
        } catch {
          return false;
        }
      };
      const held = (shown) => {
        const name = correction.data_point,
          named = { feedstock_id: "feedstock", asset_id: "asset" }[name];
        if (named) return shown[named]?.name ?? null;
        return name in shown ? shown[name] : (shown.data_points.find((one) => one.slug === name)?.value ?? null);
      };
      switch (row.action) {
        case "data_point.correct":
          return (
            after.data_point.event.id === event &&
            after.data_point.slug === correction.data_point &&
            is(after.data_point.value, correction.to_value) &&
            is(before.value, correction.from_value) &&
            after.reason === correction.reason
          );
        case "event.update":
          return (
            row.object === event && is(held(after), correction.to_value) && is(held(before), correction.from_value)
          );
        default:
          return ["event.update_many", "event.complete_many", "event.create", "event.create_many"].includes(row.action);
      }
    }
    function compareRules() {
      const fields = [
        "expression",
        "target",
        "data_point",
        "purpose",
        "severity",
        "priority",
        "requires_approval",
        "window_member_scope",
        "window_meters",
        "correction",
        "tables",
      ];
      const versions = new Map(
        [...contents.corrections.values(), ...contents.findings]
          .filter((row) => row.rule !== null)
          .map((row) => [rulePart(row), row]),
      );
      for (const [part, { rule: number, rule_version: version }] of versions) {
        if (!contents.parts.has(part)) continue;
        const document = readJson(fromUtf8(contents.parts.get(part)).replace(/\n$/, "")),
          name = idOf("rule", project, number),
          addFault = (sentence) => faults.add(part, sentence);
        const logged = rowsOf(name, "rule"),
          row = logged.find((one) => one.after?.version === version);
        if (!row) {
          addFault(`No row of the log is about version ${version} of the rule ${name}.`);
          continue;
        }
        for (const field of fields) {
          const isSame = JSON.stringify(document[field]) === JSON.stringify(row.after[field] ?? null);
          if (field in document && !isSame) addFault(`The ${field} of the rule is another than the log says.`);
        }
        const called = lastOf(logged.filter((one) => one.after && "name" in one.after))?.after.name;
        if (document.user_id !== row.user_id || document.name !== called)
          addFault("It is called otherwise, or of another user than the log says.");
        for (const noun of ["event_type", "asset"]) {
          const watched = document[`${noun}_id`] ?? null,
            id = row.after[`${noun}_id`] ?? null;
          if (watched === null ? id !== null : !Number.isSafeInteger(watched) || idOf(noun, project, watched) !== id)
            addFault(`It is about another ${noun} than the log says.`);
        }
        if (document.project_id !== project || document.rule_id !== number || document.version !== version)
          addFault("It is of another project, rule or version than its name says.");
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // Events as they were captured: each line is proved by the write that stored it, and each row of a table is its
  // line, but for corrections.
  // ---------------------------------------------------------------------------------------------------------

  const STORED_MANY = ["event.create_many", "data_feed_upload.finish"];
  /** The lines by their events, and by which write each is proved. */
  async function bindEvents(contents, vouched, faults) {
    const project = contents.manifest.project_number,
      lines = readLines(contents.parts.get("captured.txt"));
    const rows = await readWrites(contents, vouched, faults),
      bound = { lines, rows, writeOf: new Map() },
      completed = listCompleted(rows, lines, project),
      used = new Set(completed.rows),
      hashes = contents.writeProof?.events ?? {},
      events = [...lines.keys()];
    for (const row of rows) {
      const found = listStored(row, contents.manifest, lines, events);
      if (!found.length) continue;
      used.add(row.number);
      const leaves = [];
      for (const [place, event] of found)
        leaves.push([place, completed.first.get(event) ?? (await hashLeaf(lines.get(event)))]);
      try {
        await requireStored(row, leaves, (hashes[row.number] ?? []).map(readHex));
      } catch (error) {
        faults.add("audit/writes.jsonl", `Row ${row.number}: ${explain(error)}`);
      }
      for (const [, event] of found) bound.writeOf.set(event, row);
    }
    for (const row of rows)
      if (!used.has(row.number)) faults.add("audit/writes.jsonl", `No event of the bundle is based on row ${row.number}.`);
    for (const name of Object.keys(hashes))
      if (![...used].some((number) => String(number) === name))
        faults.add("audit/writes.json", `It has hashes of row ${name}, which stored no event of the bundle.`);
    for (const [event, leaf] of completed.last) {
      const isLast = sameBytes(await hashLeaf(lines.get(event)), leaf);
      if (!isLast || completed.broken.has(event))
        faults.add("captured.txt", `The line of event ${event} is another than its last completion left.`);
    }
    return bound;
  }
  function readLines(bytes) {
    const lines = new Map();
    let last = -1;
    for (const line of splitLines(bytes, "captured.txt")) {
      const fields = line.split("\t"),
        event = Number(fields[1]);
      requireThat(
        (fields.length === 14 || fields.length === 15) && /^(0|[1-9][0-9]*)$/.test(fields[1]) && event > last,
        `Lines of captured.txt are of one event each, in order: ${line.slice(0, 60)}`,
      );
      last = event;
      lines.set(event, line);
    }
    return lines;
  }
  function readHex(text) {
    requireThat(/^[0-9a-f]{64}$/.test(text), `${text.slice(0, 60)} is no hash.`);
    return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
  }
  /** The rows of the log that stored events, all proved at once under the head. */
  async function readWrites(contents, vouched, faults) {
    const rows = splitLines(contents.parts.get("audit/writes.jsonl"), "audit/writes.jsonl").map(readJson);
    if (!rows.length || !vouched.head) return [];
    try {
      const leaves = [];
      for (const row of rows) leaves.push([row.number - 1, await hashOfRow(row)]);
      const root = await rootOfSome(leaves, vouched.head.size, (contents.writeProof?.log ?? []).map(readHex));
      requireThat(sameBytes(root, vouched.head.root), "The rows and their hashes do not lead to the root of the head.");
      return rows;
    } catch (error) {
      faults.add("audit/writes.jsonl", explain(error));
      return [];
    }
  }
  /** The events of a write of many, as first and last numbers in the order of its tree. */
  function listSpans(row, project) {
    const after = row.after ?? {};
    if (!STORED_MANY.includes(row.action) || !("root" in after)) return [];
    const spans = (after.ids ?? []).map((pair) => pair.map((id) => numberOf("event", id, project))),
      count = spans.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return count === (after.count ?? after.stored) ? spans : [];
  }
  /** The events of the bundle that a write stored, with the place of each in its tree. */
  function listStored(row, manifest, lines, events) {
    if (row.project_id !== manifest.project_id) return [];
    if (row.action === "event.create") {
      const event = numberOf("event", row.object, manifest.project_number);
      return lines.has(event) ? [[0, event]] : [];
    }
    const found = [];
    let before = 0;
    for (const [first, last] of listSpans(row, manifest.project_number)) {
      let low = 0,
        high = events.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (events[middle] < first) low = middle + 1;
        else high = middle;
      }
      for (; low < events.length && events[low] <= last; low += 1) found.push([before + events[low] - first, events[low]]);
      before += last - first + 1;
    }
    return found.sort((a, b) => a[0] - b[0]);
  }
  async function requireStored(row, leaves, outside) {
    if (row.action === "event.create") {
      requireThat(
        !outside.length && toHex(leaves[0][1]) === row.after.leaf,
        `its event ${row.object} is not as it was captured.`,
      );
      return;
    }
    const root = await rootOfSome(leaves, row.after.count ?? row.after.stored, outside);
    requireThat(toHex(root) === row.after.root, "its events are not as they were captured.");
  }
  /** Events that were completed after they were stored: their leaves before the first time, and after the last. */
  function listCompleted(rows, lines, project) {
    const completed = { first: new Map(), last: new Map(), rows: new Set(), broken: new Set() };
    for (const row of rows) {
      let leaves = [];
      if (row.action === "event.update") leaves = [[row.object, row.before?.leaf ?? null, row.after?.leaf ?? null]];
      const hasLeaves = ["event.update_many", "data_point.correct"].includes(row.action);
      if (hasLeaves) leaves = row.after?.leaves ?? [];
      for (const [name, before, after] of leaves) {
        const event = numberOf("event", name, project),
          isChanged = hasLeaves || (before !== null && after !== null && before !== after);
        if (!isChanged || !lines.has(event) || row.project_id !== idOf("project", project)) continue;
        completed.rows.add(row.number);
        if (completed.last.has(event) && toHex(completed.last.get(event)) !== before) completed.broken.add(event);
        if (!completed.first.has(event)) completed.first.set(event, readHex(before));
        completed.last.set(event, readHex(after));
      }
    }
    return completed;
  }

  /** The rows of events are what was captured, but for corrections that were in force for a batch that read them. */
  function checkCaptured(contents, bound, faults) {
    const explained = new Map(),
      held = new Set(contents.lateEvents.keys());
    for (const line of contents.lineage.values()) {
      if (!line.corrections) continue;
      const inputs = line.inputs.map((read) => [read.versions, parseRanges(read.events)]);
      for (const number of parseRanges(line.corrections)) {
        const row = contents.corrections.get(number);
        if (!row) continue;
        for (const [versions, events] of inputs)
          if (hasNumber(events, row.event))
            gather(explained, `${row.event}/${versions[row.event] ?? 0}`, () => new Map()).set(row.data_point, row.to_value);
      }
    }
    for (const [slug, file] of contents.events) {
      const readLine = lineReader(contents, slug);
      for (const row of file.byKey.values()) {
        const line = bound.lines.get(row.event);
        held.add(row.event);
        if (line === undefined) {
          faults.add("captured.txt", `Event ${row.event} has no line.`);
          continue;
        }
        if (!bound.writeOf.has(row.event)) continue;
        const corrected = explained.get(`${row.event}/${row.version}`);
        for (const [name, correctable, was] of readLine(line)) {
          const value = row[name],
            now = name.endsWith("_time") && !name.startsWith(".") ? writeMoment(value) : writeField(value);
          if (now !== was && (correctable === null || corrected?.get(correctable) !== now))
            faults.add(file.table.part, `${name} of event ${row.event} was neither captured nor corrected so.`);
        }
        if (row.is_imputed)
          faults.add(file.table.part, `Event ${row.event} is called imputed, and somebody stored it.`);
      }
    }
    for (const event of bound.lines.keys())
      if (!held.has(event)) faults.add("captured.txt", `No table has event ${event}, whose line is there.`);
  }
  /** What reads a line of a type as columns of its table: the name, what a correction calls it, and the value. */
  function lineReader(contents, slug) {
    const points = contents.points.get(slug) ?? [],
      unescape = (text) => text.replace(/\\(.)/gs, (_, letter) => ({ t: "\t", n: "\n", r: "\r" })[letter] ?? letter);
    const textOf = (text) => (text === "\\N" ? null : unescape(text));
    const nameOf = (kind, number) => {
      if (number === "\\N") return null;
      const name = contents.names.get(`${kind}/${number}`);
      requireThat(name !== undefined, `${kind} ${number} of an event has no name in names.csv.`);
      return name;
    };
    const timeOf = (text) => (text.includes(".") ? `${text.slice(0, -4)}Z` : `${text.slice(0, -1)}.000Z`);
    const numberText = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    const split = {
      number: (text) => (text === "{}" ? [] : text.slice(1, -1).split(",").map((one) => (one === "NULL" ? null : numberText(one)))),
      string: (text) =>
        text === "{}"
          ? []
          : [...unescape(text).slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|NULL/gs)].map((one) =>
              one[1] === undefined ? null : one[1].replace(/\\(.)/gs, "$1"),
            ),
      boolean: (text) =>
        text === "{}" ? [] : text.slice(1, -1).split(",").map((one) => ({ t: "true", f: "false" })[one] ?? null),
    };
    return (line) => {
      const [, number, type, start, end, tracking, feedstock, asset, reference, , locations, ...arrays] = line.split("\t");
      requireThat(contents.names.get(`event_type/${type}`) === slug, `Event ${number} is none of the type ${slug} by its line.`);
      const values = { number: split.number(arrays[0]), string: split.string(arrays[1]), boolean: split.boolean(arrays[2]) };
      return [
        ["start_time", "start_time", timeOf(start)],
        ["end_time", "end_time", timeOf(end)],
        ["tracking_id", "tracking_id", textOf(tracking)],
        ["feedstock", "feedstock_id", nameOf("feedstock", feedstock)],
        ["asset", "asset_id", nameOf("asset", asset)],
        ["location", null, nameOf("location", locations.slice(1, -1).split(",")[0] || "\\N")],
        ["client_reference", null, textOf(reference)],
        ...points.map((point) => [
          `.${point.data_point}`,
          point.data_point,
          values[point.value_type][point.position - 1] ?? null,
        ]),
      ];
    };
  }
  /** Events that came after the newest batch of their slot, and count in none. */
  function checkLate(contents, bound, faults) {
    for (const [event, late] of contents.lateEvents) {
      const line = bound.lines.get(event),
        addFault = (sentence) => faults.add("late_events.csv", `Event ${event} ${sentence}`);
      if (line === undefined) {
        addFault("has no line.");
        continue;
      }
      const [[, , start], [, , end]] = lineReader(contents, late.event_type)(line),
        wasMoved = [...contents.corrections.values()].some(
          (row) => row.event === event && ["start_time", "end_time"].includes(row.data_point),
        );
      if ((start !== writeMoment(late.start_time) || end !== writeMoment(late.end_time)) && !wasMoved)
        addFault("has other times than were captured.");
      const write = bound.writeOf.get(event);
      if (write && write.at !== writeMoment(late.created_at)) addFault("was stored at another time by the log.");
      if (isRead(contents, event)) addFault("is late, and a batch read it.");
      const isLate = [...contents.batches.values()].some(
        (batch) =>
          batch.model !== null &&
          batch.start_time <= late.start_time &&
          late.start_time < batch.end_time &&
          batch.created_at < late.created_at,
      );
      if (!isLate) addFault("is of no slot of a batch, or was there when this was made.");
    }
  }
  function listUntold(contents, vouched) {
    const hasAssets = [...contents.rows["names.csv"], ...contents.meters.values()].some((row) => row.kind === "asset");
    return hasAssets && vouched.rows.some((row) => row.action === "asset.import")
      ? ["Assets were imported from a spreadsheet: the log tells neither their names nor their service."]
      : [];
  }
  /** The events that no write of the log proves, in sentences. */
  function listUnbound(contents, bound) {
    return [...contents.events].flatMap(([slug, file]) => {
      const imputed = new Set(),
        others = new Set();
      for (const row of file.byKey.values())
        if (!bound.writeOf.has(row.event)) (row.is_imputed ? imputed : others).add(row.event);
      const list = (events) => `${[...events].slice(0, 20).join(", ")}${events.size > 20 ? ", …" : ""}`,
        sentences = [];
      if (imputed.size)
        sentences.push(
          `No row of the log stored ${imputed.size} events of ${slug}, which say that they were imputed: ${list(imputed)}.`,
        );
      if (others.size)
        sentences.push(
          `No row of the log stored ${others.size} events of ${slug}, which were not imputed: they were rolled up, or stored before 1.1.0, or somebody left the row out: ${list(others)}.`,
        );
      return sentences;
    });
  }

  // ---------------------------------------------------------------------------------------------------------
  // Gaps: expected slots of a meter, one after another, in which no captured event begins that a batch read.
  // ---------------------------------------------------------------------------------------------------------

  /** The day that the calendar begins with, a Monday, as the wall shows it. */
  const FIRST_DAY = -62135596800000;
  /** The slots of a cadence of event types, by their numbers. */
  class CadenceSlots {
    constructor(amount, unit, zone) {
      Object.assign(this, { amount, unit, zone, step: { minute: 60000, hour: HOUR }[unit] * amount || null });
    }
    ofWall(wall) {
      const date = new Date(wall);
      if (this.unit === "month") return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / this.amount);
      return Math.floor(Math.floor((wall - FIRST_DAY) / DAY) / (this.amount * { day: 1, week: 7 }[this.unit]));
    }
    start(number) {
      if (this.step) return number * this.step;
      if (this.unit !== "month")
        return momentOf(FIRST_DAY + number * this.amount * { day: 1, week: 7 }[this.unit] * DAY, this.zone);
      const wall = new Date(0);
      wall.setUTCFullYear(0, number * this.amount, 1);
      return momentOf(wall.getTime(), this.zone);
    }
    holding(moment) {
      if (this.step) return Math.floor(moment / this.step);
      const number = this.ofWall(wallAt(moment, this.zone));
      return this.start(number + 1) <= moment ? number + 1 : number;
    }
    fromOn(moment) {
      const number = this.holding(moment);
      return this.start(number) >= moment ? number : number + 1;
    }
    /** The slots that lie in a time as a whole, as the first and the one after the last. */
    inside(start, end) {
      const first = this.fromOn(start);
      return [first, Math.max(first, this.holding(end))];
    }
  }
  /** Stretches with a start and an end, in order and apart from one another; those that touch are one. */
  function uniteStretches(stretches) {
    const united = [];
    for (const [start, end] of stretches.filter(([from, to]) => from < to).sort(([a], [b]) => a - b)) {
      const last = united[united.length - 1];
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else united.push([start, end]);
    }
    return united;
  }
  /** By event type the times of batches whose models read it, as far as they had passed when these were made. */
  function findPeriods(contents) {
    const passed = new Map();
    for (const batch of contents.batches.values()) {
      const model = contents.documents.get(batch.model);
      if (!model || batch.deleted_at !== null || batch.by_event) continue;
      for (const eventType of new Set(model.nodes.filter((node) => node.kind === "input").map((node) => node.body.eventType)))
        gather(passed, eventType, () => []).push([batch.start_time, Math.min(batch.end_time, batch.created_at)]);
    }
    return new Map([...passed].map(([eventType, times]) => [eventType, uniteStretches(times)]));
  }
  /** The slots of a range in which nothing is expected of a meter. */
  function findUnexpected(contents, eventType, { asset, location }, times, slots, [first, stop]) {
    const row = contents.meters.get(asset !== null ? `asset/${asset}` : `location/${location ?? ""}`),
      until = times[times.length - 1][1],
      outages = contents.rows["outages.csv"].filter(
        (one) =>
          (one.event_type === null || one.event_type === eventType) &&
          ((one.asset === null && one.location === null) ||
            (one.asset === asset && one.location === (asset === null ? location : null))),
      ),
      ranges = uniteStretches(
        outages.map((one) => [one.start_time, one.end_time ?? Math.max(one.start_time, until)]),
      ).map(([start, end]) => slots.inside(start, end));
    if (row && row.in_service_from !== null) ranges.push([first, slots.fromOn(row.in_service_from)]);
    if (row && row.in_service_until !== null) ranges.push([slots.fromOn(row.in_service_until), stop]);
    return uniteStretches(ranges.map(([start, end]) => [Math.max(start, first), Math.min(end, stop)]));
  }
  /** By meter of captured events the slots in which its events begin, captured and imputed ones. */
  function groupSlots(file, slots) {
    const meters = new Map();
    for (const row of file.byKey.values()) {
      const location = row.asset === null ? row.location : null,
        meter = gather(meters, JSON.stringify([row.asset, location]), () => ({
          asset: row.asset,
          location,
          captured: new Set(),
          imputed: new Set(),
        }));
      (row.is_imputed ? meter.imputed : meter.captured).add(slots.holding(row.start_time));
    }
    return [...meters.values()]
      .filter((meter) => meter.captured.size)
      .sort((a, b) => compareTexts(a.asset ?? "", b.asset ?? "") || compareTexts(a.location ?? "", b.location ?? ""));
  }
  /** The gaps of every event type with a cadence, in sentences. */
  function listGaps(contents, rows) {
    const newest = new Map(
        rows
          .filter((row) => row.action.startsWith("event_type.") && isRecord(row.after))
          .map((row) => [row.after.slug, row.after]),
      ),
      sentences = [];
    for (const [eventType, times] of [...findPeriods(contents)].sort(([a], [b]) => compareTexts(a, b))) {
      const { cadence_amount: amount, cadence_unit: unit } = newest.get(eventType) ?? {},
        file = contents.events.get(eventType);
      if (amount === undefined || amount === null || !file) continue;
      const slots = new CadenceSlots(amount, unit, contents.manifest.time_zone),
        ranges = times.map(([start, end]) => slots.inside(start, end)).filter(([first, stop]) => first < stop);
      for (const meter of groupSlots(file, slots))
        for (const range of ranges) {
          const unexpected = findUnexpected(contents, eventType, meter, times, slots, range);
          sentences.push(...describeGaps(eventType, meter, slots, range, unexpected));
        }
    }
    return sentences;
  }
  /** How many of a list in ascending order are below a number. */
  function countBelow(list, number, of = (one) => one) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (of(list[middle]) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  function* describeGaps(eventType, meter, slots, [first, stop], unexpected) {
    const captured = [...meter.captured].filter((slot) => first <= slot && slot < stop).sort((a, b) => a - b),
      imputed = [...meter.imputed].filter((slot) => !meter.captured.has(slot)).sort((a, b) => a - b),
      of =
        meter.asset !== null
          ? ` of asset ${meter.asset}`
          : meter.location !== null
            ? ` of location ${meter.location}`
            : "";
    let begin = first;
    for (const next of [...captured, stop]) {
      let [start, end] = [begin, next];
      begin = next + 1;
      const first = unexpected[countBelow(unexpected, start + 1, ([from]) => from) - 1],
        last = unexpected[countBelow(unexpected, end, ([from]) => from) - 1];
      if (first && start < first[1]) start = first[1];
      if (last && end <= last[1]) end = last[0];
      if (start >= end) continue;
      let expected = end - start;
      for (let at = countBelow(unexpected, start, ([from]) => from); at < unexpected.length; at += 1) {
        const [from, to] = unexpected[at];
        if (from >= end) break;
        expected -= to - from;
      }
      const filled = countBelow(imputed, end) - countBelow(imputed, start),
        often = filled ? `, ${filled} of them filled` : "";
      yield `No captured ${eventType}${of} counts in ${expected} expected slots from ${writeMoment(slots.start(start))} to ${writeMoment(slots.start(end))}${often}.`;
    }
  }

  // ---------------------------------------------------------------------------------------------------------
  // Engagements of verifiers: the sample is drawn again, the effect of findings computed again, the opinion verified.
  // ---------------------------------------------------------------------------------------------------------

  const ENGAGEMENTS = "verification/engagements.json",
    OPINION_NAMESPACE = "weighbridge-opinion",
    STATEMENT_TYPE = "https://in-toto.io/Statement/v1",
    PREDICATE_TYPE = "https://weighbridge.example/docs/reference/proof-bundle/opinion/v1",
    RANDOM_RANGE = 1n << 256n;
  const COUNTING_STATES = ["open", "answered"];
  SHAPES[ENGAGEMENTS] = {
    engagements: [
      {
        assurance: "text",
        bundle_sha256: "text?",
        conclusion: "text?",
        created_at: "text",
        created_by: "whole?",
        created_by_link: "whole?",
        criteria: "text",
        drawn_at: "text?",
        ended_at: "text?",
        engagement: "whole",
        findings: [
          {
            amount: "text?",
            answer: "text?",
            answered_at: "text?",
            answered_by: "whole?",
            decided_at: "text?",
            decision: "text?",
            kind: "text",
            number: "whole",
            record: "whole?",
            recorded_at: "text",
            recorded_by: "whole?",
            recorded_by_link: "whole?",
            state: "text",
            text: "text",
          },
        ],
        log_root: "text",
        log_rows: "whole",
        materiality_amount: "text?",
        materiality_percent: "text?",
        population_count: "whole",
        population_sha256: "text",
        reasons: "text?",
        report_id: "text",
        sample: [{ amount: "text?", is_certain: "flag", record: "whole", stratum: "whole" }],
        scope: "text",
        seed: "text?",
        seed_text: "text?",
        state: "text",
        strata: [{ data_point: "text?", event_type: "text", method: "text", size: "whole" }],
        total: "text?",
        unit: "text",
        verifier: "text",
        verifier_key: "text?",
      },
    ],
  };
  const populationPart = (number) => `verification/${number}.population.csv`,
    opinionPart = (number) => `verification/${number}.opinion.json`;

  function readEngagements(contents) {
    const text = fromUtf8(contents.parts.get(ENGAGEMENTS));
    requireThat(text.endsWith("\n"), `${ENGAGEMENTS} does not end with a line end.`);
    return readRecord(ENGAGEMENTS, text.slice(0, -1)).engagements;
  }
  /** The parts that engagements name; none in a bundle without them. */
  function listEngagementParts(contents) {
    if (!contents.parts.has(ENGAGEMENTS)) return [];
    let engagements;
    try {
      engagements = readEngagements(contents);
    } catch {
      return [ENGAGEMENTS]; // which is a fault of its own
    }
    return [
      ENGAGEMENTS,
      ...engagements.flatMap(({ engagement, state }) => [
        populationPart(engagement),
        ...(state === "concluded" ? [opinionPart(engagement), `${opinionPart(engagement)}.sig`] : []),
      ]),
    ];
  }

  async function checkEngagements(contents, vouched, digests, verifiers, faults) {
    if (!contents.parts.has(ENGAGEMENTS)) {
      if (verifiers.length) faults.add(ENGAGEMENTS, "No engagement is in the bundle, but a key of a verifier is named.");
      for (const row of vouched.rows)
        if (/^(engagement|finding)\./.test(row.action))
          faults.add(ENGAGEMENTS, `The audit log has the ${row.object}, but the bundle does not.`);
      return [];
    }
    const engagements = readEngagements(contents),
      logged = new Map(),
      named = new Set(),
      opinions = [];
    for (const row of vouched.rows)
      if (/^(engagement|finding)\./.test(row.action)) logged.set(row.object, row.after);
    const numbers = engagements.map((one) => one.engagement);
    if (!numbers.length || numbers.some((number, at) => at && numbers[at - 1] >= number))
      faults.add(ENGAGEMENTS, "Engagements are sorted, each once, and there is at least one.");
    for (const engagement of engagements) {
      const { findings, ...record } = engagement,
        name = `engagement ${engagement.engagement} of ${engagement.report_id}`;
      if (engagement.report_id !== contents.report.id)
        faults.add(ENGAGEMENTS, `Engagement ${engagement.engagement} is on another report.`);
      compareLogged(name, record);
      for (const [at, finding] of findings.entries()) {
        compareLogged(`finding ${finding.number} of ${name}`, finding);
        if (finding.number !== at + 1)
          faults.add(ENGAGEMENTS, `The findings of engagement ${engagement.engagement} are not numbered from 1.`);
      }
      const population = await checkSample(contents, engagement, digests, faults);
      let changedParts = [];
      if (engagement.state === "concluded")
        changedParts = await checkOpinion(contents, record, findings, digests, faults);
      else if (engagement.conclusion !== null || engagement.verifier_key !== null || engagement.bundle_sha256 !== null)
        faults.add(
          ENGAGEMENTS,
          `Engagement ${engagement.engagement} has a conclusion, but is ${engagement.state}.`,
        );
      const { verifier, state, conclusion, verifier_key: key } = engagement;
      opinions.push({
        engagement: engagement.engagement,
        verifier,
        state,
        conclusion,
        key,
        isOfNamedKey: key !== null && verifiers.some((text) => text.split(/\s+/).slice(0, 2).join(" ") === key),
        changedParts,
        populationChanges: population ? countPopulationChanges(contents, engagement, population) : 0,
      });
    }
    for (const name of logged.keys())
      if (!named.has(name)) faults.add(ENGAGEMENTS, `The audit log has the ${name}, but the bundle does not.`);
    if (verifiers.length && !opinions.some((one) => one.isOfNamedKey))
      faults.add(ENGAGEMENTS, "No opinion is signed by a key of a verifier that you named.");
    return opinions;

    function compareLogged(name, record) {
      named.add(name);
      if (!logged.has(name)) faults.add(ENGAGEMENTS, `The audit log has no row for the ${name}.`);
      else if (writeJson(logged.get(name)) !== writeJson(record))
        faults.add(ENGAGEMENTS, `The ${name} is another than the audit log says.`);
    }
  }

  /** Draw the sample again; gives the population by strata, or null if it is another one. */
  async function checkSample(contents, engagement, digests, faults) {
    const number = engagement.engagement,
      part = populationPart(number),
      table = defineTable(part, "*stratum:whole *record:whole amount:number?"),
      population = engagement.strata.map(() => []);
    requireThat(contents.parts.has(part), `${part} is missing.`);
    const rows = readTable(table, contents.parts.get(part));
    for (const row of rows) {
      requireThat(row.stratum >= 1 && row.stratum <= population.length, `${part} has a stratum ${row.stratum}.`);
      population[row.stratum - 1].push(row);
    }
    if (digests.get(part) !== engagement.population_sha256 || rows.length !== engagement.population_count) {
      faults.add(part, `It is not the population of engagement ${number}, by its digest or count.`);
      return null;
    }
    let seed = null,
      drawn = [];
    if (engagement.seed_text !== null) {
      const lines = [
        "weighbridge sample seed 1",
        `rows ${engagement.log_rows}`,
        `root ${engagement.log_root}`,
        `population ${engagement.population_sha256}`,
        engagement.seed_text,
      ];
      seed = await sha256Hex(toUtf8(lines.map((line) => `${line}\n`).join("")));
      for (const [at, { method, size }] of engagement.strata.entries())
        drawn.push(...(await drawStratum(seed, at + 1, method, size, population[at])));
    }
    drawn = drawn.map(({ stratum, record, amount, isCertain }) => ({
      amount: amount === null ? null : amount.toString(),
      is_certain: isCertain,
      record,
      stratum,
    }));
    if (seed !== engagement.seed)
      faults.add(ENGAGEMENTS, `The seed of engagement ${number} does not follow from its log head and text.`);
    else if (writeJson(drawn) !== writeJson(engagement.sample))
      faults.add(ENGAGEMENTS, `The seed of engagement ${number} draws another sample.`);
    return population;
  }
  const randomNumber = async (seed, stratum, item) =>
    BigInt(`0x${await sha256Hex(toUtf8(`${seed}\n${stratum}\n${item}\n`))}`);

  async function drawStratum(seed, stratum, method, size, records) {
    requireThat(["random", "monetary_unit"].includes(method), `The method ${method} is not known.`);
    const numbers = new Map();
    for (const { record } of records) numbers.set(record, await randomNumber(seed, stratum, record));
    const byNumber = (some) =>
      [...some].sort((a, b) => {
        const one = numbers.get(a.record),
          other = numbers.get(b.record);
        return one < other ? -1 : one > other ? 1 : a.record - b.record;
      });
    const certain = new Set();
    let chosen;
    if (method === "random") {
      chosen = byNumber(records).slice(0, size);
      if (records.length <= size) for (const { record } of records) certain.add(record);
    } else {
      const sizes = scaleAmounts(records);
      let others = [];
      if (sizes.size <= size) for (const record of sizes.keys()) certain.add(record);
      else {
        findCertain(sizes, size, certain);
        const remaining = records.filter(({ record }) => sizes.has(record) && !certain.has(record));
        const start = await randomNumber(seed, stratum, "start");
        others = drawAtIntervals(start, byNumber(remaining), sizes, BigInt(size - certain.size));
      }
      chosen = [...records.filter(({ record }) => certain.has(record)), ...others];
    }
    return chosen
      .map(({ record, amount }) => ({ stratum, record, amount, isCertain: certain.has(record) }))
      .sort((a, b) => a.record - b.record);
  }
  /** The amounts that are not zero, without sign, as whole numbers of one unit. */
  function scaleAmounts(records) {
    const some = records.filter(({ amount }) => amount !== null && amount.c !== 0n),
      least = some.reduce((exponent, { amount }) => Math.min(exponent, amount.e), 0);
    return new Map(some.map(({ record, amount }) => [record, absolute(amount.c) * tenTo(amount.e - least)]));
  }
  /** The records of at least one interval, which is computed anew for those that remain. */
  function findCertain(sizes, size, certain) {
    for (;;) {
      const remaining = [...sizes].filter(([record]) => !certain.has(record)),
        total = remaining.reduce((sum, [, amount]) => sum + amount, 0n),
        wanted = BigInt(size - certain.size),
        found = remaining.filter(([, amount]) => amount * wanted >= total);
      if (!found.length || !wanted) return;
      for (const [record] of found) certain.add(record);
    }
  }
  function drawAtIntervals(start, records, sizes, wanted) {
    const total = records.reduce((sum, { record }) => sum + sizes.get(record), 0n),
      drawn = [];
    let reached = 0n,
      points = 0n;
    for (const row of records) {
      reached += sizes.get(row.record);
      if (points < wanted && (start + points * RANDOM_RANGE) * total < reached * wanted * RANDOM_RANGE) {
        drawn.push(row);
        points += 1n;
      }
    }
    return drawn;
  }

  /** How many records were added, removed or have another amount than when the engagement began. */
  function countPopulationChanges(contents, engagement, population) {
    let changes = 0;
    for (const [at, { event_type, data_point }] of engagement.strata.entries()) {
      const now = new Map(),
        column = `.${data_point}`;
      for (const row of contents.events.get(event_type)?.byKey.values() ?? [])
        now.set(row.event, data_point === null ? null : (row[column] ?? null));
      for (const { record, amount } of population[at]) {
        const present = now.get(record);
        if (!now.has(record) || (present === null) !== (amount === null) || (amount && !equal(present, amount)))
          changes += 1;
        now.delete(record);
      }
      changes += now.size;
    }
    return changes;
  }

  /** The effect of the findings that are open or answered, against materiality. */
  function computeEffect(engagement, findings) {
    const counting = findings.filter((one) => COUNTING_STATES.includes(one.state)),
      amounts = counting.filter((one) => one.amount !== null).map((one) => parseDec(one.amount)),
      total = parseDec(engagement.total),
      size = (value) => new Dec(absolute(value.c), value.e),
      thresholds = [];
    if (engagement.materiality_amount !== null) thresholds.push(parseDec(engagement.materiality_amount));
    if (engagement.materiality_percent !== null) {
      const percent = parseDec(engagement.materiality_percent);
      thresholds.push(new Dec(absolute(total.c) * percent.c, total.e + percent.e - 2));
    }
    const threshold = thresholds.reduce((least, one) => (compare(one, least) < 0 ? one : least)),
      sum = exactTotal(amounts.map(size));
    return {
      absolute: sum.toString(),
      is_material: compare(sum, threshold) > 0,
      signed: exactTotal(amounts).toString(),
      threshold: threshold.toString(),
      total: engagement.total,
      unit: engagement.unit,
    };
  }

  /** Build the statement again, and verify its signature; gives the parts that changed since. */
  async function checkOpinion(contents, record, findings, digests, faults) {
    const part = opinionPart(record.engagement),
      bytes = contents.parts.get(part) ?? new Uint8Array();
    let stated;
    try {
      stated = readJson(fromUtf8(bytes).replace(/\n$/, ""));
      requireThat(Array.isArray(stated.subject) && stated.subject.length && stated.predicate, "it has no subject");
    } catch (error) {
      faults.add(part, `It cannot be read as a statement: ${explain(error)}.`);
      return [];
    }
    const pick = (names, prefix = "", from = record) =>
      Object.fromEntries(names.map((name) => [name, from[prefix + name]]));
    const hashRecord = (value) => sha256Hex(toUtf8(`${writeJson(value)}\n`));
    const predicate = {
      ...pick(["assurance", "conclusion", "criteria", "engagement", "reasons", "scope", "strata", "verifier"]),
      effect: computeEffect(record, findings),
      findings: findings.map((one) => pick(["amount", "kind", "number", "record", "state"], "", one)),
      findings_sha256: await hashRecord(findings),
      log: pick(["root", "rows"], "log_"),
      materiality: pick(["amount", "percent"], "materiality_"),
      population: pick(["count", "sha256"], "population_"),
      report: record.report_id,
      sample: {
        count: record.sample.length,
        ...pick(["seed", "seed_text"]),
        sha256: await hashRecord(record.sample),
      },
      time: stated.predicate.time,
    };
    const statement = { _type: STATEMENT_TYPE, predicate, predicateType: PREDICATE_TYPE, subject: stated.subject };
    if (!sameBytes(bytes, toUtf8(`${writeJson(statement)}\n`)))
      faults.add(part, "It is not the statement that the engagement makes.");
    const first = { digest: { sha256: record.bundle_sha256 }, name: `${record.report_id}.zip` };
    if (writeJson(stated.subject[0]) !== writeJson(first))
      faults.add(part, "It is about another bundle than the engagement names.");
    try {
      const key = await readSshKey(record.verifier_key);
      await verifySshSignature(
        bytes,
        decodeLoosely(contents.parts.get(`${part}.sig`) ?? new Uint8Array()),
        key,
        OPINION_NAMESPACE,
      );
    } catch (error) {
      faults.add(`${part}.sig`, explain(error));
    }
    const before = new Map(stated.subject.slice(1).map((one) => [one.name, one.digest.sha256])),
      isSubject = (name) =>
        !/^(audit\/|evidence\/|verification\/|SHA256SUMS|datapackage.json|report.html|ro-crate-metadata.json)/.test(name),
      names = new Set([...before.keys(), ...[...digests.keys()].filter(isSubject)]);
    return [...names].filter((name) => before.get(name) !== digests.get(name)).sort();
  }
  /** An Ed25519 key in a line as OpenSSH writes it. */
  async function readSshKey(text) {
    const prefix = concatenate(sshString(toUtf8("ssh-ed25519")), pack([32, 4]).reverse()),
      blob = fromBase64((text ?? "").replace("ssh-ed25519 ", "")),
      isKey = blob.length === prefix.length + 32 && sameBytes(blob.subarray(0, prefix.length), prefix);
    requireThat(isKey && text.startsWith("ssh-ed25519 "), `${text} is not an Ed25519 public key of OpenSSH.`);
    const bytes = blob.subarray(prefix.length),
      imported = await crypto.subtle.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]);
    const verify = (content, signature) =>
      signature.length === 64 ? crypto.subtle.verify("Ed25519", imported, signature, content) : false;
    return { name: "verifier", public: bytes, verify };
  }

  // ---------------------------------------------------------------------------------------------------------
  // Indexes: what follows from the other parts is made again.
  // ---------------------------------------------------------------------------------------------------------

  function checkIndexes(contents, digests, faults) {
    const { parts, report } = contents,
      sizeOfPart = (name) => parts.get(name)?.length ?? 0,
      types = {
        text: "string",
        number: "number",
        whole: "integer",
        time: "datetime",
        flag: "boolean",
        digest: "string",
        list: "array",
      };
    const tables = Object.values(contents.tables).sort((a, b) => (a.part < b.part ? -1 : 1));
    const resources = tables.map((table) => ({
      name: table.part
        .replace(/\.csv$/, "")
        .replaceAll("/", "-")
        .replaceAll("_", "-"),
      path: table.part,
      profile: "tabular-data-resource",
      encoding: "utf-8",
      mediatype: "text/csv",
      bytes: sizeOfPart(table.part),
      hash: `sha256:${digests.get(table.part)}`,
      rows: splitLines(parts.get(table.part), table.part).length - 1,
      schema: {
        fields: table.columns.map(({ name, kind, isOptional }) => ({
          name,
          type: types[kind],
          ...(isOptional ? {} : { constraints: { required: true } }),
        })),
        primaryKey: table.columns.filter((one) => one.isKey).map((one) => one.name),
      },
    }));
    compareIndex("datapackage.json", { profile: "data-package", name: report.id.replaceAll("_", "-"), resources });
    const names = [...parts.keys()].filter(
      (name) => !["SHA256SUMS", "SHA256SUMS.sig", "ro-crate-metadata.json"].includes(name),
    );
    const media = {
      csv: "text/csv",
      jsonl: "application/jsonl",
      json: "application/json",
      html: "text/html",
      yaml: "application/yaml",
    };
    const files = names.map((name) => ({
      "@id": name,
      "@type": "File",
      contentSize: String(sizeOfPart(name)),
      encodingFormat: media[name.split(".").pop()] ?? "application/octet-stream",
      sha256: digests.get(name),
    }));
    const about = {
      "@id": "ro-crate-metadata.json",
      "@type": "CreativeWork",
      about: { "@id": "./" },
      conformsTo: { "@id": "https://w3id.org/ro/crate/1.1" },
    };
    const root = {
      "@id": "./",
      "@type": "Dataset",
      name: report.name,
      description: "A report with all that its amounts were computed from.",
      datePublished: (report.effective_at ?? report.end_time ?? "").slice(0, 10),
      license: "The operator says what it may be used for.",
      hasPart: names.map((name) => ({ "@id": name })),
    };
    compareIndex("ro-crate-metadata.json", {
      "@context": "https://w3id.org/ro/crate/1.1/context",
      "@graph": [about, root, ...files],
    });
    function compareIndex(part, made) {
      if (!sameBytes(parts.get(part) ?? new Uint8Array(), toUtf8(`${writeJson(made)}\n`)))
        faults.add(part, "It is not what the other parts make.");
    }
  }

  const UNSEALED = new Set([
    "report.html",
    "datapackage.json",
    "ro-crate-metadata.json",
    "SHA256SUMS",
    "SHA256SUMS.sig",
    "audit/head.checkpoint",
    "audit/seal.jsonl",
    "audit/writes.json",
  ]);
  /** The parts are those that the log was told of; asked for when nothing else was found. */
  async function checkSeal(contents, { seal }, digests, faults) {
    const addFault = (sentence) => faults.add("audit/seal.jsonl", sentence);
    if (seal?.action !== "report.seal_bundle" || seal.object !== `bundle of ${contents.report.id}`) {
      addFault("It is not the one row of the log about the parts of this bundle.");
      return;
    }
    const names = [...contents.parts.keys()].filter(
      (name) => !UNSEALED.has(name) && !/^audit\/.*\.tlog-proof$/.test(name),
    );
    const lines = names.map((name) => `${digests.get(name)}  ${name}\n`).join(""),
      expected = { format: contents.manifest.format, parts: names.length, sha256: await sha256Hex(toUtf8(lines)) };
    if (!isRecord(seal.after) || writeJson(seal.after) !== writeJson(expected))
      addFault("The parts are others than those that the log was told of when they were made.");
  }

  // ---------------------------------------------------------------------------------------------------------
  // The check, from the first byte to the last digit. A step is made only if the one before found no fault.
  // ---------------------------------------------------------------------------------------------------------

  /**
   * The third argument is what the caller trusts beside the key: lines of `witnesses`, how many of them have to have
   * cosigned the head (`atLeast`), `statements` of the operator about keys, as `weighbridge audit keys` prints them, and keys
   * of `verifiers` as OpenSSH writes them, one of which has to have signed an opinion.
   */
  async function checkBundle(file, keyText, { witnesses = [], atLeast = witnesses.length, statements = [], verifiers = [] } = {}) {
    const faults = new Faults(),
      counts = { parts: 0, rowsOfLog: 0, batches: 0, nodeValues: 0, contributions: 0, uncertainties: 0 },
      result = { faults: faults.list, counts, runs: [], gaps: [], cosigners: [], opinions: [], notChecked: [...NOT_CHECKED] };
    let parts;
    const given = await readKey(keyText),
      witnessKeys = await Promise.all(witnesses.map((text) => readKey(text, COSIGNATURE))),
      others = await Promise.all(statements.map(readStatement));
    try {
      parts = readParts(file);
    } catch (error) {
      faults.add("", explain(error));
      return result;
    }
    counts.parts = parts.size;
    const digests = new Map();
    for (const [name, content] of parts) digests.set(name, await sha256Hex(content));
    const trusted = await readTrustedKeys(parts, given, others, faults),
      key = await findSigner(parts, trusted.keys);
    await verifySums(parts, digests, key, faults);
    const vouched = await verifyAudit(parts, key, faults);
    if (vouched.head) await verifyHead(vouched.head);
    const contents = readContents(parts, faults);
    counts.rowsOfLog = vouched.rows.length;
    if (!contents || faults.count) return result;
    if (!contents.hasStories)
      result.notChecked.push(
        "A bundle of format 1 has no entries, no batches after those in the report, and no newer batches of the sources.",
      );
    checkParts(contents, vouched, faults);
    try {
      result.opinions = await checkEngagements(contents, vouched, digests, verifiers, faults);
    } catch (error) {
      faults.add(ENGAGEMENTS, `They cannot be checked: ${explain(error)}`);
    }
    try {
      await checkRows(contents, digests, faults);
      checkLedgers(contents, vouched, faults);
      checkDrawn(contents, faults);
      compareWithLog(contents, vouched, faults);
      if (contents.isSealed) {
        const bound = await bindEvents(contents, vouched, faults);
        checkCaptured(contents, bound, faults);
        checkLate(contents, bound, faults);
        result.notChecked.push(
          ...listUnbound(contents, bound),
          ...(await checkStatedLines(contents, bound, bound.rows, faults)),
          ...listUntold(contents, vouched),
        );
        result.gaps = listGaps(contents, vouched.rows);
      }
      if (contents.manifest.engine_revision !== 2)
        faults.add("bundle.json", `Revision ${contents.manifest.engine_revision} of the engine is not known.`);
      if (vouched.head.origin !== contents.manifest.audit_log)
        faults.add("bundle.json", `It names the log ${contents.manifest.audit_log}, not that of its head.`);
      checkIndexes(contents, digests, faults);
    } catch (error) {
      faults.add("", `Its rows cannot be compared: ${explain(error)}`);
    }
    if (!faults.count) await recalculate(contents, faults, counts);
    if (!faults.count && contents.isSealed) await checkSeal(contents, vouched, digests, faults);
    if (!faults.count) result.runs = listRuns(contents);
    return result;

    async function verifyHead(head) {
      try {
        requireValid(trusted, key, head);
      } catch (error) {
        faults.add("SHA256SUMS.sig", explain(error));
      }
      const note = decodeLoosely(parts.get("audit/head.checkpoint"));
      result.cosigners = await listCosigners(note, witnessKeys, Math.floor(Date.now() / 1000));
      if (result.cosigners.length < atLeast)
        faults.add(
          "audit/head.checkpoint",
          `${result.cosigners.length} of ${witnesses.length} witnesses cosigned the head; at least ${atLeast} have to.`,
        );
    }
  }
  /** The runs that the report includes: the total of each, and the amount that is included. */
  function listRuns(contents) {
    const stories = new Map();
    for (const batch of contents.batches.values())
      gather(stories, storyKey(batch.ledger, batch.run ?? -batch.batch), () => []).push(batch);
    return [...stories.values()].flatMap((story) => {
      const included = story.map((one) => contents.reported.get(one.batch_id)).filter(Boolean),
        newest = newestOf(story);
      if (!included.length || !newest) return [];
      const amount = exactTotal(included.map((one) => parseDec(one.amount)));
      return [
        {
          name: newest.tracking_id,
          unit: contents.ledgers.get(newest.ledger)?.unit ?? "",
          total: newest.total.toString(),
          included: amount.toString(),
          batches: story.length,
        },
      ];
    });
  }

  /**
   * In Node: check the files that are named, and print what was found as JSON, one line for each file. A key is that of the
   * files after it; the first one also of those before it. Witnesses and the history of keys are for all files.
   */
  async function runInNode() {
    const { readFile } = await import("node:fs/promises");
    const files = [],
      trust = { witnesses: [], atLeast: undefined, statements: [], verifiers: [] },
      words = process.argv.slice(2),
      wholeNumber = (text) => (/^(0|[1-9][0-9]{0,8})$/.test(text ?? "") ? Number(text) : NaN);
    let key = words[words.indexOf("--key") + 1],
      keysFile;
    for (let at = 0; at < words.length; at += 1) {
      if (words[at] === "--key") key = words[(at += 1)];
      else if (words[at] === "--witness") trust.witnesses.push(words[(at += 1)] ?? "");
      else if (words[at] === "--verifier") trust.verifiers.push(words[(at += 1)] ?? "");
      else if (words[at] === "--at-least") trust.atLeast = wholeNumber(words[(at += 1)]);
      else if (words[at] === "--keys") keysFile = words[(at += 1)] ?? "";
      else files.push({ name: words[at], key });
    }
    const least = trust.atLeast ?? trust.witnesses.length,
      isLeast = Number.isInteger(least) && least <= trust.witnesses.length;
    if (!words.includes("--key") || !key || !files.length || !isLeast) {
      console.error("node bundle-check.js FILE [FILE ...] --key KEY [--witness KEY ...] [--at-least N] [--keys FILE] [--verifier KEY ...]");
      process.exitCode = 2;
      return;
    }
    if (keysFile !== undefined) {
      try {
        trust.statements = JSON.parse(await readFile(keysFile, "utf8")).statements;
        if (!Array.isArray(trust.statements)) throw new Error("it has no list of statements");
      } catch (error) {
        console.error(`${keysFile} is no history of keys: ${explain(error)}`);
        process.exitCode = 2;
        return;
      }
    }
    for (const { name, key } of files) {
      try {
        const result = await checkBundle(new Uint8Array(await readFile(name)), key, trust);
        if (result.faults.length) process.exitCode = Math.max(process.exitCode ?? 0, 1);
        console.log(JSON.stringify({ file: name, ...result }));
      } catch (error) {
        console.error(`${name}: ${explain(error)}`);
        process.exitCode = 2;
      }
    }
  }

  /** In a page: check the file that was chosen in `parts`, and show what was found. */
  function runInPage(parts) {
    const shown = parts.ownerDocument.getElementById("found"),
      [file, key] = parts.querySelectorAll("input");
    parts.querySelector("button").addEventListener("click", async () => {
      if (!file.files.length || !key.value.trim()) {
        shown.textContent = "Choose a bundle, and enter the key.";
        return;
      }
      shown.textContent = "Checking …";
      try {
        shown.textContent = describe(await checkBundle(new Uint8Array(await file.files[0].arrayBuffer()), key.value));
      } catch (error) {
        shown.textContent = explain(error);
      }
    });
  }
  function describeOpinion({ verifier, state, conclusion, key, changedParts, populationChanges }) {
    if (conclusion === null) return `The engagement of ${verifier} is ${state}.`;
    const changed = changedParts.length ? `; changed since: ${changedParts.join(", ")}` : "";
    const records = populationChanges ? `; records changed since it began: ${populationChanges}` : "";
    return `The opinion of ${verifier} is ${conclusion}, signed by ${key}${changed}${records}.`;
  }
  /** Gaps that are listed for people. */
  const GAPS_SHOWN = 20;
  /** What was found, for people. */
  function describe({ faults, runs, gaps, counts, opinions, notChecked }) {
    const found = faults.map(({ part, sentence }) => (part ? `${part}: ${sentence}` : sentence));
    const totals = runs.map(
      (run) => `${run.name}: total ${run.total} ${run.unit}, included ${run.included} ${run.unit}`,
    );
    return [
      ...(found.length ? found : ["The bundle is valid."]),
      "",
      ...totals,
      `${counts.batches} batches with ${counts.nodeValues} values were calculated again.`,
      ...gaps.slice(0, GAPS_SHOWN),
      ...(gaps.length > GAPS_SHOWN ? [`${gaps.length - GAPS_SHOWN} more gaps.`] : []),
      ...opinions.map(describeOpinion),
      "",
      "Not checked:",
      ...notChecked,
    ].join("\n");
  }

  // ---------------------------------------------------------------------------------------------------------
  // The table of units, as in src/weighbridge/core/units.tsv: names, factor to base units, offset, dimensions;
  // names with a dash are prefixes.
  // ---------------------------------------------------------------------------------------------------------

  const UNIT_TABLE = `
quecto-	1/1000000000000000000000000000000
q-	1/1000000000000000000000000000000
ronto-	1/1000000000000000000000000000
r-	1/1000000000000000000000000000
yocto-	1/1000000000000000000000000
y-	1/1000000000000000000000000
zepto-	1/1000000000000000000000
z-	1/1000000000000000000000
atto-	1/1000000000000000000
a-	1/1000000000000000000
femto-	1/1000000000000000
f-	1/1000000000000000
pico-	1/1000000000000
p-	1/1000000000000
nano-	1/1000000000
n-	1/1000000000
micro-	1/1000000
µ-	1/1000000
μ-	1/1000000
u-	1/1000000
mu-	1/1000000
mc-	1/1000000
milli-	1/1000
m-	1/1000
centi-	1/100
c-	1/100
deci-	1/10
d-	1/10
deca-	10
da-	10
deka-	10
hecto-	100
h-	100
kilo-	1000
k-	1000
mega-	1000000
M-	1000000
giga-	1000000000
G-	1000000000
tera-	1000000000000
T-	1000000000000
peta-	1000000000000000
P-	1000000000000000
exa-	1000000000000000000
E-	1000000000000000000
zetta-	1000000000000000000000
Z-	1000000000000000000000
yotta-	1000000000000000000000000
Y-	1000000000000000000000000
ronna-	1000000000000000000000000000
R-	1000000000000000000000000000
quetta-	1000000000000000000000000000000
Q-	1000000000000000000000000000000
kibi-	1024
Ki-	1024
mebi-	1048576
Mi-	1048576
gibi-	1073741824
Gi-	1073741824
tebi-	1099511627776
Ti-	1099511627776
pebi-	1125899906842624
Pi-	1125899906842624
exbi-	1152921504606846976
Ei-	1152921504606846976
zebi-	1180591620717411303424
Zi-	1180591620717411303424
yobi-	1208925819614629174706176
Yi-	1208925819614629174706176
semi-	1/2
demi-	1/2
sesqui-	3/2
LMH	1/3600000	0	length^1 time^-1
RKM	196133/20	0	length^2 time^-2
UK_force_ton UK_ton_force	62275102613647/6250000	0	length^1 time^-2 mass^1
UK_hundredweight UK_cwt	317514659/6250	0	mass^1
UK_ton	635029318/625	0	mass^1
US_force_ton US_ton_force	8896443230521/1000000	0	length^1 time^-2 mass^1
US_hundredweight US_cwt	45359237/1000	0	mass^1
US_international_ampere A_US	200066/200099	0	current^1
US_international_ohm ohm_US Ω_US	200099/200	0	mass^1 length^2 time^-3 current^-2
US_international_volt V_US	100033/100	0	mass^1 length^2 time^-3 current^-1
US_therm	105480400000	0	mass^1 length^2 time^-2
US_ton	45359237/50	0	mass^1
abampere abA	10	0	current^1
abcoulomb abC	10	0	current^1 time^1
aberdeen Ta	45359237/1316736000	0	mass^1 length^-1
abfarad abF	1000000	0	current^2 time^4 mass^-1 length^-2
abhenry abH	1/1000000	0	mass^1 length^2 time^-2 current^-2
abohm abΩ	1/1000000	0	mass^1 length^2 time^-3 current^-2
absiemens abS abmho	1000000	0	current^2 mass^-1 length^-2 time^3
absorbance_unit AU	1	0	
abvolt abV	1/100000	0	mass^1 length^2 time^-3 current^-1
acre	62726400000/15499969	0	length^2
acre_foot acre_feet	75271680000000/61023377953	0	length^3
ampere A amp	1	0	current^1
ampere_hour Ah	3600	0	current^1 time^1
ampere_turn At	1	0	current^1
angstrom Å ångström Å	1/10000000000	0	length^1
angstrom_star Å_star	20000299/200000000000000000	0	length^1
apothecary_dram ap_dr apothecary_drachm drachm	19439673/5000000	0	mass^1
apothecary_ounce ap_oz	19439673/625000	0	mass^1
apothecary_pound ap_lb	58319019/156250	0	mass^1
arcminute angular_minute arc_minute arcmin	31415926535897932384626433832795028841971693993751/108000000000000000000000000000000000000000000000000000	0	
arcsecond angular_second arc_second arcsec	31415926535897932384626433832795028841971693993751/6480000000000000000000000000000000000000000000000000000	0	
are	100	0	length^2
astronomical_unit au	149597870700	0	length^1
atmosphere_liter atm_l	101325	0	mass^1 length^2 time^-2
atomic_mass_constant m_u	41513476723/25000000000000000000000000000000000	0	mass^1
atomic_unit_of_current a_u_current	41397613984426163443983327857226405117213790682795718429500651211364676978227851/6250000000000000000000000000000000000000000000000000000000000000000000000000000000	0	current^1
atomic_unit_of_electric_field a_u_electric_field	2571103375560472/5	0	current^-1 time^-3 mass^1 length^1
atomic_unit_of_electric_field_gradient a_u_efg	9717362442414776000000000	0	mass^1 time^-3 current^-1
atomic_unit_of_force a_u_force	2059680875960757/25000000000000000000	0	mass^1 length^1 time^-2
atomic_unit_of_intensity a_u_intensity	350944552772984470000000	0	time^-3 mass^1
atomic_unit_of_temperature a_u_temp	2986126522058888952348436083/9456500000000000000000	0	temperature^1
atomic_unit_of_time a_u_time	1250000000000000000000000000000000000000000000000000000/51676716668963933278761482496100870133166341861400181210607582998073703	0	time^1
avogadro_constant N_A	602214076000000000000000	0	substance^-1
avogadro_number	602214076000000000000000	0	
bag	2131884139/50000	0	mass^1
bar	100000000	0	mass^1 length^-1 time^-2
barn b	1/10000000000000000000000000000	0	length^2
barrel bbl	29810117799/250000000000	0	length^3
barye Ba barad barie barrie baryd	100	0	mass^1 length^-1 time^-2
baud Bd bps	1	0	time^-1
becquerel Bq	1	0	time^-1
beer_barrel beer_bbl	14668470663/125000000000	0	length^3
biot Bi	10	0	current^1
biot_turn	10	0	current^1
bit	1	0	
bits_per_pixel bpp	1	0	printing_unit^-1
board_foot BDFT BF FBM board_feet super_feet super_foot superficial_feet superficial_foot	18435447/7812500000	0	length^3
bohr a0 a_0 a_u_length atomic_unit_of_length bohr_radius	1322943026359707/25000000000000000000000000	0	length^1
bohr_magneton mu_B µ_B	1396859838101957250000000000000000000/150620910285888141566947066890473153394704066332352530406231	0	current^1 length^2
boiler_horsepower	88294999/9	0	mass^1 length^2 time^-3
boltzmann_constant k k_B	1380649/100000000000000000000000000	0	mass^1 length^2 time^-2 temperature^-1
british_thermal_unit BTU Btu Btu_iso	1055056	0	mass^1 length^2 time^-2
buckingham	1/2997924580000000000000000000000000000000	0	length^2 time^1 current^1
bushel bu	220244188543/6250000000000	0	length^3
byte B octet	8	0	
cables_length	864000/3937	0	length^1
calorie cal cal_th thermochemical_calorie	4184	0	mass^1 length^2 time^-2
candela candle cd	1	0	luminosity^1
carat ct	1/5	0	mass^1
centimeter	1/100	0	length^1
centipoise	1	0	mass^1 length^-1 time^-1
century centuries	3155760000	0	time^1
chain	79200/3937	0	length^1
cicero	3/665	0	length^1
circular_mil cmil	506707479097497751431639751289151020192161452425209879/1000000000000000000000000000000000000000000000000000000000000000	0	length^2
classical_electron_radius r_e	28179403204619567/10000000000000000000000000000000	0	length^1
clausius Cl	4184	0	mass^1 length^2 time^-2 temperature^-1
common_year	31536000	0	time^1
conductance_quantum G_0	213914163877964163/2760862562500000000000000	0	current^2 time^3 mass^-1 length^-2
conventional_ampere_90 A_90	100000008887143810491801/100000000000000000000000	0	current^1
conventional_coulomb_90 C_90	100000008887143810491801/100000000000000000000000	0	time^1 current^1
conventional_farad_90 F_90	5521725026748260492435541/5521725125000000000000000000	0	mass^-1 length^-2 time^4 current^2
conventional_henry_90 H_90	5521725125000000000000000000/5521725026748260492435541	0	mass^1 length^2 time^-2 current^-2
conventional_josephson_constant K_J90	483597900000	0	time^2 mass^-1 length^-2 current^1
conventional_mercury_density ρHg	13595100	0	mass^1 length^-3
conventional_ohm_90 ohm_90 Ω_90	5521725125000000000000000000/5521725026748260492435541	0	mass^1 length^2 time^-3 current^-2
conventional_volt_90 V_90	71207857995393/71207850400	0	time^-3 mass^1 length^2 current^-1
conventional_von_klitzing_constant R_K90	25812807	0	mass^1 length^2 time^-3 current^-2
conventional_water_density ρH2O	1000000	0	mass^1 length^-3
conventional_watt_90 W_90	80000015642924386799194873461/80000000000000000000000000	0	time^-3 mass^1 length^2
cooling_tower_ton	13188200/3	0	mass^1 length^2 time^-3
coulomb C	1	0	current^1 time^1
coulomb_constant k_C	2246887946544667/250	0	mass^1 length^3 time^-4 current^-2
count	1	0	
counts_per_second cps	1	0	time^-1
css_pixel px	127/480000	0	length^1
cubic_centimeter cc	1/1000000	0	length^3
cubic_foot cu_ft cubic_feet	55306341/1953125000	0	length^3
cubic_inch cu_in	2048383/125000000000	0	length^3
cubic_yard cu_yd	1493271207/1953125000	0	length^3
cup US_liquid_cup cp liquid_cup	473176473/2000000000000	0	length^3
curie Ci	37000000000	0	time^-1
dalton Da	41513476723/25000000000000000000000000000000000	0	mass^1
darcy	1/1013250000000	0	length^2
day d	86400	0	time^1
debye D	1/299792458000000000000000000000	0	length^1 time^1 current^1
decade			
decibel dB			
decibelmicrowatt dBu			
decibelmilliwatt dBm			
decibelwatt dBW			
decimeter	1/10	0	length^1
decitex	1/10000	0	mass^1 length^-1
degree angular_degree arcdeg arcdegree deg	31415926535897932384626433832795028841971693993751/1800000000000000000000000000000000000000000000000000	0	
degree_Celsius celsius degC degreeC °C	1	5463/20	temperature^1
degree_Fahrenheit degF degreeF fahrenheit °F	5/9	45967/180	temperature^1
degree_Rankine degR degreeR rankine °R	5/9	0	temperature^1
degree_Reaumur degRe degreeRe degree_Réaumur reaumur réaumur °Re	5/4	5463/20	temperature^1
delta_degree_Celsius delta_celsius delta_degC delta_degreeC Δcelsius ΔdegC ΔdegreeC Δ°C	1	0	temperature^1
delta_degree_Fahrenheit delta_degF delta_degreeF delta_fahrenheit ΔdegF ΔdegreeF Δfahrenheit Δ°F	5/9	0	temperature^1
delta_degree_Reaumur delta_degRe delta_degreeRe delta_degree_Réaumur delta_reaumur delta_réaumur ΔdegRe ΔdegreeRe Δdegree_Réaumur Δreaumur Δréaumur Δ°Re	5/4	0	temperature^1
denier den	1/9000	0	mass^1 length^-1
didot	1/2660	0	length^1
dirac_constant a_u_action atomic_unit_of_action hbar ħ	3313035075000000000/31415926535897932384626433832795028841971693993751	0	mass^1 length^2 time^-1
dram avdp_dram avoirdupois_dram dr	45359237/25600000	0	mass^1
dry_barrel US_dry_barrel	903336903/7812500000	0	length^3
dry_gallon US_dry_gallon dgal	220244188543/50000000000000	0	length^3
dry_pint US_dry_pint dpi	220244188543/400000000000000	0	length^3
dry_quart US_dry_quart dqt	220244188543/200000000000000	0	length^3
dtex	1/10000	0	mass^1 length^-1
dyne dyn	1/100	0	mass^1 length^1 time^-2
electrical_horsepower	746000	0	mass^1 length^2 time^-3
electron_g_factor g_e	-50057982609023/25000000000000	0	
electron_mass a_u_mass atomic_unit_of_mass m_e	91093837139/100000000000000000000000000000000000000	0	mass^1
electron_volt eV electronvolt	801088317/5000000000000000000000000	0	time^-2 mass^1 length^2
elementary_charge e	801088317/5000000000000000000000000000	0	current^1 time^1
entropy_unit eu	4184	0	mass^1 length^2 time^-2 temperature^-1 substance^-1
enzyme_unit U enzymeunit	1/60000000	0	substance^1 time^-1
eon	31557600000000000	0	time^1
erg	1/10000	0	mass^1 length^2 time^-2
eulers_number	54365636569180904707205749427053249955144941873999/20000000000000000000000000000000000000000000000000	0	
farad F	1/1000	0	current^2 time^4 mass^-1 length^-2
faraday	120606665154137523/1250000000000	0	current^1 time^1
faraday_constant	120606665154137523/1250000000000	0	current^1 time^1 substance^-1
fathom	7200/3937	0	length^1
femtometer	1/1000000000000000	0	length^1
fermi fm	1/1000000000000000	0	length^1
fifteen_degree_calorie cal_15	8371/2	0	mass^1 length^2 time^-2
fifth US_liquid_fifth	473176473/625000000000	0	length^3
fine_structure_constant alpha α	2918941025735761/400000000000000000	0	
first_radiation_constant c_1	93544296304818950284178888898249628455498827428101362112171354947805179973/250000000000000000000000000000000000000000000000000000000000000000000000000000000000000	0	mass^1 length^4 time^-3
fluid_dram US_fluid_dram US_liquid_dram fldr fluidram	473176473/128000000000000	0	length^3
fluid_ounce US_fluid_ounce US_liquid_ounce floz	473176473/16000000000000	0	length^3
foot feet ft international_feet international_foot	381/1250	0	length^1
foot_H2O feetH2O feet_H2O ftH2O ft_H2O	74726673/25	0	length^-1 mass^1 time^-2
foot_H2O_4C feetH2O_4C feet_H2O_4C ftH2O_4C ft_H2O_4C	18681145163289/6250000	0	length^-1 mass^1 time^-2
foot_H2O_60F feetH2O_60F feet_H2O_60F ftH2O_60F ft_H2O_60F	74652021053673/25000000	0	length^-1 mass^1 time^-2
foot_Hg feetHg feet_Hg ftHg ft_Hg	10159165921023/250000	0	length^-1 mass^1 time^-2
foot_Hg_0C feetHg_0C feet_Hg_0C ftHg_0C ft_Hg_0C	10159165921023/250000	0	length^-1 mass^1 time^-2
foot_Hg_32F feetHg_32F feet_Hg_32F ftHg_32F ft_Hg_32F	10159165921023/250000	0	length^-1 mass^1 time^-2
foot_Hg_60F feetHg_60F feet_Hg_60F ftHg_60F ft_Hg_60F	633159100329/15625	0	length^-1 mass^1 time^-2
foot_per_second fps	381/1250	0	length^1 time^-1
foot_pound footpound ft_lb	3389544870828501/2500000000000	0	length^2 time^-2 mass^1
force_gram gf gram_force pond	196133/20000	0	length^1 time^-2 mass^1
force_kilogram kgf kilogram_force	196133/20	0	length^1 time^-2 mass^1
force_long_ton long_ton_force	62275102613647/6250000	0	length^1 time^-2 mass^1
force_metric_ton force_t metric_ton_force t_force tf	9806650	0	length^1 time^-2 mass^1
force_ounce ounce_force ozf	8896443230521/32000000000	0	length^1 time^-2 mass^1
force_pound lbf pound_force	8896443230521/2000000000	0	length^1 time^-2 mass^1
force_ton force_short_ton short_ton_force ton_force	8896443230521/1000000	0	length^1 time^-2 mass^1
fortnight	1209600	0	time^1
franklin Fr esu statC statcoulomb	1/1000	0	mass^0 length^1 time^-1
furlong fur	792000/3937	0	length^1
galileo Gal	1/100	0	length^1 time^-2
gallon US_liquid_gallon gal liquid_gallon	473176473/125000000000	0	length^3
gamma γ	1/1000000	0	mass^1 time^-2 current^-1
gamma_mass	1/1000000	0	mass^1
gauss G	10	0	mass^0 length^0 time^-1
gilbert Gb	25000000000000000000000000000000000000000000000000/31415926535897932384626433832795028841971693993751	0	current^1
gill US_liquid_gill gi liquid_gill	473176473/4000000000000	0	length^3
grade gon grad gradian	31415926535897932384626433832795028841971693993751/2000000000000000000000000000000000000000000000000000	0	
grain gr	6479891/100000000	0	mass^1
gram g	1	0	mass^1
gray Gy	1	0	length^2 time^-2
gregorian_year	31556952	0	time^1
hand	127/1250	0	length^1
hartree E_h Eh a_u_energy atomic_unit_of_energy hartree_energy	217987236110298893521435834059/50000000000000000000000000000000000000000000	0	mass^1 length^2 time^-2
hectare ha	10000	0	length^2
henry H	1000	0	mass^1 length^2 time^-2 current^-2
hertz Hz	1	0	time^-1
hogshead	29810117799/125000000000	0	length^3
horsepower UK_horsepower hp hydraulic_horsepower	37284993579113511/50000000000	0	length^2 time^-3 mass^1
hour h hr	3600	0	time^1
hundredweight cwt short_hundredweight	45359237/1000	0	mass^1
impedance_of_free_space Z_0 characteristic_impedance_of_vacuum	3767303134119101/10000000000	0	mass^1 length^2 time^-3 current^-2
imperial_barrel UK_bbl imperial_bbl	4091481/25000000	0	length^3
imperial_bushel UK_bushel imperial_bu	454609/12500000	0	length^3
imperial_cup UK_cup imperial_cp	454609/1600000000	0	length^3
imperial_fluid_drachm imperial_fldr imperial_fluid_dram	454609/128000000000	0	length^3
imperial_fluid_ounce UK_fluid_ounce imperial_floz	454609/16000000000	0	length^3
imperial_fluid_scruple	454609/384000000000	0	length^3
imperial_gallon UK_gallon imperial_gal	454609/100000000	0	length^3
imperial_gill UK_gill imperial_gi	454609/3200000000	0	length^3
imperial_minim	454609/7680000000000	0	length^3
imperial_peck UK_pk imperial_pk	454609/50000000	0	length^3
imperial_pint UK_pint imperial_pt	454609/800000000	0	length^3
imperial_quart UK_quart imperial_qt	454609/400000000	0	length^3
inch in inches international_inch international_inches	127/5000	0	length^1
inch_H2O inH2O in_H2O inchesH2O inches_H2O	24908891/100	0	length^-1 mass^1 time^-2
inch_H2O_4C inH2O_4C in_H2O_4C inchesH2O_4C inches_H2O_4C	6227048387763/25000000	0	length^-1 mass^1 time^-2
inch_H2O_60F inH2O_60F in_H2O_60F inchesH2O_60F inches_H2O_60F	24884007017891/100000000	0	length^-1 mass^1 time^-2
inch_Hg inHg in_Hg inchesHg inches_Hg	3386388640341/1000000	0	length^-1 mass^1 time^-2
inch_Hg_0C inHg_0C in_Hg_0C inchesHg_0C inches_Hg_0C	3386388640341/1000000	0	length^-1 mass^1 time^-2
inch_Hg_32F inHg_32F in_Hg_32F inchesHg_32F inches_Hg_32F	3386388640341/1000000	0	length^-1 mass^1 time^-2
inch_Hg_60F inHg_60F in_Hg_60F inchesHg_60F inches_Hg_60F	211053033443/62500	0	length^-1 mass^1 time^-2
international_british_thermal_unit Btu_it	52752792631/50000	0	mass^1 length^2 time^-2
international_calorie cal_it international_steam_table_calorie	20934/5	0	mass^1 length^2 time^-2
josephson_constant K_J	21362355120000000000/44173801	0	current^1 time^2 mass^-1 length^-2
joule J	1000	0	mass^1 length^2 time^-2
jute Tj	45359237/1316736000	0	mass^1 length^-1
katal kat	1	0	substance^1 time^-1
kelvin K degK degreeK degree_Kelvin °K	1	0	temperature^1
kilogram	1000	0	mass^1
kilometer	1000	0	length^1
kilometer_per_hour KPH kph	5/18	0	length^1 time^-1
kilometer_per_second kps	1000	0	length^1 time^-1
kip	8896443230521/2000000	0	length^1 time^-2 mass^1
kip_per_square_inch ksi	222411080763025/32258	0	length^-1 time^-2 mass^1
knot international_knot kn knot_international kt	463/900	0	length^1 time^-1
lambda λ	1/1000000000	0	length^3
lambert	100000000000000000000000000000000000000000000000000000/31415926535897932384626433832795028841971693993751	0	luminosity^1 length^-2
langley Ly	41840000	0	mass^1 time^-2
league	19008000/3937	0	length^1
leap_year	31622400	0	time^1
light_year lightyear ly	9460730472580800	0	length^1
link li survey_link	792/3937	0	length^1
liter L l litre ℓ	1/1000	0	length^3
ln10	1439115683121278552511244659177727629750688430393/625000000000000000000000000000000000000000000000	0	
long_hundredweight	317514659/6250	0	mass^1
long_ton	635029318/625	0	mass^1
lumen lm	1	0	luminosity^1
lux lx	1	0	luminosity^1 length^-2
magnetic_flux_quantum Phi_0 Φ_0	44173801/21362355120000000000	0	mass^1 length^2 time^-2 current^-1
maxwell Mx	1/1000	0	mass^0 length^1 time^-1
mean_international_ampere A_it	100034/100049	0	current^1
mean_international_ohm ohm_it Ω_it	100049/100	0	mass^1 length^2 time^-3 current^-2
mean_international_volt V_it	50017/50	0	mass^1 length^2 time^-3 current^-1
mercury_density_0C ρHg_0C	13595100	0	mass^1 length^-3
mercury_density_32F ρHg_32F	13595100	0	mass^1 length^-3
mercury_density_60F ρHg_60F	13556800	0	mass^1 length^-3
meter m metre	1	0	length^1
meter_H2O mH2O m_H2O	9806650	0	length^-1 mass^1 time^-2
meter_H2O_4C mH2O_4C m_H2O_4C	49031877069/5000	0	length^-1 mass^1 time^-2
meter_H2O_60F mH2O_60F m_H2O_60F	195937063133/20000	0	length^-1 mass^1 time^-2
meter_Hg mHg m_Hg	26664477483/200	0	length^-1 mass^1 time^-2
meter_Hg_0C mHg_0C m_Hg_0C	26664477483/200	0	length^-1 mass^1 time^-2
meter_Hg_32F mHg_32F m_Hg_32F	26664477483/200	0	length^-1 mass^1 time^-2
meter_Hg_60F mHg_60F m_Hg_60F	3323669818/25	0	length^-1 mass^1 time^-2
meter_per_second mps	1	0	length^1 time^-1
meter_per_second_squared	1	0	length^1 time^-2
metric_horsepower	2941995/4	0	length^2 time^-3 mass^1
metric_ton t tonne	1000000	0	mass^1
microgram	1/1000000	0	mass^1
microliter	1/1000000000	0	length^3
micrometer	1/1000000	0	length^1
micromole	1/1000000	0	substance^1
micron µ μ	1/1000000	0	length^1
mil	31415926535897932384626433832795028841971693993751/320000000000000000000000000000000000000000000000000000	0	
mile international_mile mi	201168/125	0	length^1
mile_per_hour MPH mph	1397/3125	0	length^1 time^-1
millennium millennia	31557600000	0	time^1
milliarcsecond mas	31415926535897932384626433832795028841971693993751/6480000000000000000000000000000000000000000000000000000000	0	
milligram	1/1000	0	mass^1
minim	157725491/2560000000000000	0	length^3
minute min	60	0	time^1
molar M	1000	0	substance^1 length^-3
molar_gas_constant R	207861565453831/25000000000	0	mass^1 length^2 time^-2 temperature^-1 substance^-1
mole mol	1	0	substance^1
month	2629800	0	time^1
nautical_mile nmi	1852	0	length^1
neper Np			
neutron_mass m_n	20936593757/12500000000000000000000000000000000	0	mass^1
newton N	1000	0	mass^1 length^1 time^-2
newtonian_constant_of_gravitation gravitational_constant	66743/1000000000000000000	0	length^3 mass^-1 time^-2
nit	1	0	luminosity^1 length^-2
nuclear_magneton mu_N µ_N	5308067384787437550000000000000000/1050939350959546229555934838573797228264889860064236897694769	0	current^1 length^2
number_english ECC Ne NeC	10972800/6479891	0	length^1 mass^-1
number_meter Nm	1	0	length^1 mass^-1
octave oct			
oersted Oe ørsted	10	0	mass^0 length^0 time^-1
ohm Ω	1000	0	mass^1 length^2 time^-3 current^-2
oil_barrel oil_bbl	9936705933/62500000000	0	length^3
ounce avdp_ounce avoirdupois_ounce oz	45359237/1600000	0	mass^1
parsec pc	99731913800000000000000000000000000000000000000000000000000000000/3232091207422229445026428631923523443923250258721	0	length^1
particle molec molecule	1/602214076000000000000000	0	substance^1
pascal Pa	1000	0	mass^1 length^-1 time^-2
peak_sun_hour PSH	3600000000	0	mass^1 time^-2
peck pk	220244188543/25000000000000	0	length^3
pennyweight dwt	19439673/12500000	0	mass^1
percent %	1/100	0	
permille ‰	1/1000	0	
pi π	31415926535897932384626433832795028841971693993751/10000000000000000000000000000000000000000000000000	0	
pica printers_pica	127/30000	0	length^1
pint US_pint liquid_pint pt	473176473/1000000000000	0	length^3
pixel dot pel picture_element	1	0	printing_unit^1
pixels_per_centimeter PPCM	100	0	printing_unit^1 length^-1
pixels_per_inch DPI PPI dots_per_inch ppi printers_dpi	5000/127	0	printing_unit^1 length^-1
planck_constant ℎ	132521403/200000000000000000000000000000000000000	0	mass^1 length^2 time^-1
planck_current	34788727549285050000000000	0	current^1
planck_length	323251004884741/20000000000000000000000000000000000000000000000000	0	length^1
planck_mass	2176434342717899/100000000000000000000	0	mass^1
planck_temperature	141678416215734260000000000000000	0	temperature^1
planck_time	1347811612078401/25000000000000000000000000000000000000000000000000000000000	0	time^1
point big_point bp pp printers_point	127/360000	0	length^1
poise P	100	0	mass^1 length^-1 time^-1
pound avdp_pound avoirdupois_pound lb	45359237/100000	0	mass^1
pound_force_per_square_inch psi	8896443230521/1290320	0	length^-1 time^-2 mass^1
poundal pdl	17281869297/125000000	0	mass^1 length^1 time^-2
ppm	1/1000000	0	
proton_mass m_p	33452438519/20000000000000000000000000000000000	0	mass^1
quadrillion_Btu quad	1055056000000000000000	0	mass^1 length^2 time^-2
quart US_liquid_quart liquid_quart qt	473176473/500000000000	0	length^3
quarter	317514659/25000	0	mass^1
radian rad	1	0	
rads	1/100	0	length^2 time^-2
reciprocal_centimeter cm_1 kayser	100	0	length^-1
refractive_index_unit RIU	1	0	
refrigeration_ton ton_of_refrigeration	10550560/3	0	mass^1 length^2 time^-3
rem	1/100	0	length^2 time^-2
revolutions_per_minute rpm	31415926535897932384626433832795028841971693993751/300000000000000000000000000000000000000000000000000	0	time^-1
revolutions_per_second rps	31415926535897932384626433832795028841971693993751/5000000000000000000000000000000000000000000000000	0	time^-1
reyn	8896443230521/1290320	0	length^-1 time^-1 mass^1
rhe	1/100	0	mass^-1 length^1 time^1
rod perch pole rd	19800/3937	0	length^1
roentgen röntgen	129/500000000	0	current^1 time^1 mass^-1
rutherford Rd	1000000	0	time^-1
rydberg Ry	217987236110298893521435834059/100000000000000000000000000000000000000000000	0	mass^1 length^2 time^-2
rydberg_constant R_inf R_∞	10973731568157/1000000	0	length^-1
scaled_point	127/23681433600	0	length^1
scruple	6479891/5000000	0	mass^1
second s sec	1	0	time^1
second_radiation_constant c_2	272115870842319/18913000000000000	0	length^1 temperature^1
shake	1/100000000	0	time^1
shot US_shot jig	1419529419/32000000000000	0	length^3
sidereal_day	2160000000000000000000/25068447733769881	0	time^1
sidereal_month	14753697237/6250	0	time^1
sidereal_year	2465480450277/78125	0	time^1
siemens S mho	1/1000	0	current^2 mass^-1 length^-2 time^3
sievert Sv	1	0	length^2 time^-2
slinch blob slugette	8896443230521/50800000	0	mass^1
slug	8896443230521/609600000	0	mass^1
sound_pressure_level SPL	1/50	0	mass^1 length^-1 time^-2
speed_of_light c c_0	299792458	0	length^1 time^-1
square_degree sq_deg sqdeg	986960440108935861883449099987615113531369940724075405214910405332408498748925226762673768427050001/3240000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000	0	
square_foot sq_ft square_feet	145161/1562500	0	length^2
square_inch sq_in square_inches	16129/25000000	0	length^2
square_league	361304064000000/15499969	0	length^2
square_mile sq_mi	40468564224/15625	0	length^2
square_rod sq_perch sq_pole sq_rod	392040000/15499969	0	length^2
square_survey_mile section	40144896000000/15499969	0	length^2
square_yard sq_yd	1306449/1562500	0	length^2
standard_atmosphere atm atmosphere	101325000	0	mass^1 length^-1 time^-2
standard_gravity g0 g_0 g_n gravity	196133/20000	0	length^1 time^-2
standard_liter_per_minute slm slpm	6755/4	0	mass^1 length^2 time^-3
statampere statA	1/1000	0	mass^0 length^1 time^-2
statfarad statF	1/100	0	length^1
stathenry statH	100	0	length^-1 time^2
statmho	1/100	0	length^1 time^-1
statohm statΩ	100	0	length^-1 time^1
stattesla statT	1000	0	mass^0 length^-1
statvolt statV	1/10	0	mass^0 length^0 time^-1
statweber statWb	1/10	0	mass^0 length^0
stefan_boltzmann_constant sigma σ	20865883292256666249816948778151118612796419651812524793425132715276816719795319179904108996418492558595153438318629698199158829767500442694763543894527989914936251123192565415958747379922947590786182467686063800379431802191332983127946308564114938695703858511060718119/367980696683126763030171401579567950612500000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000	0	mass^1 time^-3 temperature^-4
steradian sr	1	0	
stere	1	0	length^3
stilb	10000	0	luminosity^1 length^-2
stokes St	1/10000	0	length^2 time^-1
stone	317514659/50000	0	mass^1
strain ε ϵ	1	0	
survey_foot sft	1200/3937	0	length^1
survey_mile smi us_statute_mile	6336000/3937	0	length^1
svedberg	1/10000000000000	0	time^1
sverdrup sv	1000000	0	length^3 time^-1
synodic_month lunar_month	1594651806/625	0	time^1
tablespoon tbsp	473176473/32000000000000	0	length^3
tansec	9696273622266688335079285895770570331769750776163/2000000000000000000000000000000000000000000000000000000	0	
teaspoon tsp	157725491/32000000000000	0	length^3
technical_atmosphere at	98066500	0	mass^1 length^-1 time^-2
tesla T	1000	0	mass^1 time^-2 current^-1
tex Tt	1/1000	0	mass^1 length^-1
tex_cicero	314452/69680325	0	length^1
tex_didot	78613/209040975	0	length^1
tex_pica	254/60225	0	length^1
tex_point	127/361350	0	length^1
therm EC_therm thm	105505600000	0	mass^1 length^2 time^-2
thermochemical_british_thermal_unit Btu_th	23722880951/22500	0	mass^1 length^2 time^-2
thomson_cross_section sigma_e σ_e	133049174101161/2000000000000000000000000000000000000000000	0	length^2
thou mil_length th	127/5000000	0	length^1
ton short_ton	45359237/50	0	mass^1
ton_TNT tTNT	4184000000000	0	mass^1 length^2 time^-2
tonne_of_oil_equivalent toe	41868000000000	0	mass^1 length^2 time^-2
torr	2533125/19	0	mass^1 length^-1 time^-2
townsend Td	1/1000000000000000000	0	mass^1 length^4 time^-3 current^-1
tropical_month	1475365428/625	0	time^1
tropical_year	4930769570427/156250	0	time^1
troy_ounce ozt toz	19439673/625000	0	mass^1
troy_pound lbt tlb	58319019/156250	0	mass^1
turn circle cycle revolution	31415926535897932384626433832795028841971693993751/5000000000000000000000000000000000000000000000000	0	
unified_atomic_mass_unit amu u	41513476723/25000000000000000000000000000000000	0	mass^1
unit_pole	2513274122539201/20000000000000000000	0	mass^1 length^2 time^-2 current^-1
vacuum_permeability magnetic_constant mu0 mu_0 µ_0	6283185306348001/5000000000000000000	0	mass^1 length^1 time^-2 current^-2
vacuum_permittivity electric_constant eps0 eps_0 epsilon_0 ε_0	1106773477349031/125000000000000000000000000000	0	current^2 time^4 mass^-1 length^-3
volt V	1000	0	mass^1 length^2 time^-3 current^-1
volt_ampere VA	1000	0	mass^1 length^2 time^-3
von_klitzing_constant R_K	5521725125000000000000000/213914163877964163	0	mass^1 length^2 time^-3 current^-2
water_density_4C ρH2O_4C	999972	0	mass^1 length^-3
water_density_60F ρH2O_60F	999001	0	mass^1 length^-3
watt W	1000	0	mass^1 length^2 time^-3
watt_hour Wh watthour	3600000	0	mass^1 length^2 time^-2
weber Wb	1000	0	mass^1 length^2 time^-2 current^-1
week	604800	0	time^1
wien_frequency_displacement_law_constant	1854960689371893381951534622371309852604331563844181639/31552715000000000000000000000000000000000000	0	time^-1 temperature^-1
wien_u	28214393721220788934031913302944851953458817440731/10000000000000000000000000000000000000000000000000	0	
wien_wavelength_displacement_law_constant	2721158708423190000000000000000000000000000000000000/939052054649794977318546314507098931639232788552973349	0	length^1 temperature^1
wien_x	49651142317442763036987591313228939440555849867973/10000000000000000000000000000000000000000000000000	0	
x_unit_Cu Xu_Cu	100207697/1000000000000000000000	0	length^1
x_unit_Mo Xu_Mo	3131561/31250000000000000000	0	length^1
yard international_yard yd	1143/1250	0	length^1
year a julian_year yr	31557600	0	time^1
zeta ζ	29979245800	0	
`;

  globalThis.checkBundle = checkBundle;
  const listColumns = (part) =>
    TABLES[part].columns.map(({ name, kind, isOptional, isKey }) => [name, kind + (isOptional ? "?" : ""), isKey]);
  /** What the tests hold against the first implementation. */
  checkBundle.parts = {
    listColumns,
    parseDec,
    add,
    subtract,
    multiply,
    divide,
    squareRoot,
    exponential,
    naturalLog,
    commonLog,
    raise,
    roundTo,
    findQuantile,
    findDeviation,
    parseUnit,
    convert,
    writeUnit,
    matchesPattern,
    findSlot,
    labelSlot,
    countDays,
    parseExpression,
    printExpression,
    evaluate,
    requireContent,
    convertContent,
    readModel,
  };
  const isNode = typeof process === "object" && Boolean(process.versions?.node);
  if (isNode && /bundle-check\.m?js$/.test(process.argv[1] ?? "")) runInNode();
  else if (typeof document === "object" && document.getElementById("bundle-check"))
    runInPage(document.getElementById("bundle-check"));
})();
