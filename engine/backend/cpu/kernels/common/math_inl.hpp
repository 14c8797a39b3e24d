// Exponential, tanh and GELU of 16 lanes. Polynomials fitted for this file by Lawson's iteration
// (minimax in the stated measure). Included after the vec.hpp of an instruction set.
#pragma once

#include "engine/backend/cpu/kernels/common/unroll.hpp"

namespace lore::engine::cpu {
namespace {

/// e^x within 2 units in the last place. 0 below -87, e^88 above 88; NaN gives NaN.
LORE_INLINE Floats exponential(Floats x) {
  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds n to an integer, in the low bits.
  const Floats bounded = minimum(broadcast(88.0F), x);
  const Floats shifted = multiply_add(bounded, broadcast(1.44269504F), broadcast(12582912.0F));
  const Floats n = subtract(shifted, broadcast(12582912.0F));
  // ln 2 in two parts, the first so short that its product with n is exact.
  Floats r = multiply_add(n, broadcast(-0.693359375F), bounded);
  r = multiply_add(n, broadcast(2.12194440e-4F), r);
  // Degree 6, relative error 3e-9.
  Floats p = broadcast(1.3814598e-3F);
  p = multiply_add(p, r, broadcast(8.3687169e-3F));
  p = multiply_add(p, r, broadcast(4.1668388e-2F));
  p = multiply_add(p, r, broadcast(1.66665205e-1F));
  p = multiply_add(p, r, broadcast(4.99999934e-1F));
  p = multiply_add(p, multiply(r, r), r);
  p = add(p, broadcast(1.0F));
  const Ints power = add(shift_left<23>(as_ints(shifted)), broadcast(std::int32_t{0x3F800000}));
  const Floats value = multiply(p, as_floats(power));
  return select_less(x, broadcast(-87.0F), zero_floats(), value);
}

/// Within 2e-7 of tanh(x).
LORE_INLINE Floats hyperbolic_tangent(Floats x) {
  const Floats e = exponential(add(x, x));
  return subtract(broadcast(1.0F), divide(broadcast(2.0F), add(e, broadcast(1.0F))));
}

LORE_INLINE Floats absolute(Floats x) {
  return as_floats(bit_and(as_ints(x), broadcast(std::int32_t{0x7FFFFFFF})));
}

/// x * Phi(x), Phi the normal distribution function, within 1e-7 (absolute) or 3e-7 of x.
LORE_INLINE Floats gelu_exact(Floats x) {
  // With a = |x|: Phi(-a) = erfc(a / sqrt 2) / 2 = e^(-a^2 / 2) q(t), t = 1 / (1 + 0.34 a / sqrt
  // 2), q of degree 7; then x Phi(x) = max(x, 0) - a Phi(-a).
  const Floats a = absolute(x);
  const Floats t =
      divide(broadcast(1.0F), multiply_add(a, broadcast(0.24041631F), broadcast(1.0F)));
  Floats q = broadcast(-1.30108282e-1F);
  q = multiply_add(q, t, broadcast(5.80399275e-1F));
  q = multiply_add(q, t, broadcast(-7.11763084e-1F));
  q = multiply_add(q, t, broadcast(7.17961073e-1F));
  q = multiply_add(q, t, broadcast(-2.30333477e-1F));
  q = multiply_add(q, t, broadcast(1.92998320e-1F));
  q = multiply_add(q, t, broadcast(7.97174871e-2F));
  q = multiply_add(q, t, broadcast(1.12868170e-3F));
  const Floats e = exponential(multiply(multiply(a, a), broadcast(-0.5F)));
  const Floats tail = multiply(multiply(a, e), q);
  return subtract(maximum(zero_floats(), x), tail);
}

/// The usual approximation of the above by tanh (Hendrycks and Gimpel 2016).
LORE_INLINE Floats gelu_by_tanh(Floats x) {
  const Floats cube = multiply(multiply(x, x), multiply(x, broadcast(0.044715F)));
  const Floats inner = multiply(broadcast(0.79788456F), add(x, cube));
  const Floats half = multiply(broadcast(0.5F), x);
  return multiply(half, add(broadcast(1.0F), hyperbolic_tangent(inner)));
}

/// x / (1 + e^-x).
LORE_INLINE Floats silu_of(Floats x) {
  const Floats e = exponential(subtract(zero_floats(), x));
  return divide(x, add(broadcast(1.0F), e));
}

}  // namespace
}  // namespace lore::engine::cpu
