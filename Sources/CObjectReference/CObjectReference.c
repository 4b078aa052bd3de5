#include "CObjectReference.h"
